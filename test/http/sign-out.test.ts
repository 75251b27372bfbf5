import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type DevProvider, startDevProvider } from '../../src/cli/dev/provider.ts';
import { succeeded } from '../support/commands/outcome.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { assertProblem } from '../support/http/answers.ts';
import { ApiCaller } from '../support/http/api-caller.ts';
import { EventStream } from '../support/http/event-stream.ts';
import { assertRefused } from '../support/http/refusals.ts';
import { type Reply, request } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { freePort } from '../support/run/ports.ts';
import { surroundings } from '../support/run/surroundings.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import {
  type DatabaseEngine,
  newSettings,
  runVestibule,
  type Service,
  type Settings,
  startService,
} from '../support/services/service.ts';
import { assertShutOutWithinASecond } from '../support/tokens/shut-out.ts';
import { SignedIn } from '../support/tokens/signed-in.ts';

/** Longer than the provider's token lifetime, shorter than the default retention of revocations. */
const maxTokenSeconds = 86_400;

const clientId = 'web';
const redirectUri = 'https://app.example/';

/** Processes on one database, and a real provider that sends logout tokens to the first one. */
class Stage {
  readonly provider: DevProvider;
  readonly services: readonly Service[];
  readonly settings: Settings;

  constructor(provider: DevProvider, services: readonly Service[], settings: Settings) {
    this.provider = provider;
    this.services = services;
    this.settings = settings;
  }

  static async start(engine: DatabaseEngine, count: number): Promise<Stage> {
    const [port, providerPort] = [await freePort(), await freePort()];
    const provider = await startDevProvider({
      port: providerPort,
      audience: surroundings().audience,
      webClient: {
        id: clientId,
        redirectUris: [redirectUri],
        postLogoutRedirectUris: [],
        logoutUri: `http://127.0.0.1:${port}/idp/logout`,
      },
    });
    const settings = await newSettings(engine, {
      IDP_ORIGIN: provider.origin,
      IDP_JWKS_PATH: '/jwks',
      WEB_CLIENT_ID: clientId,
      MAX_TOKEN_LIFETIME_SECONDS: String(maxTokenSeconds),
      COLLECTIONS_DIR: declarationsFolder({
        notes: 'title: Notes\nschema: { properties: { text: { type: string, maxLength: 100 } } }\n',
      }),
      PORT: String(port),
    });
    const services: Service[] = [];
    const stage = new Stage(provider, services, settings);
    try {
      while (services.length < count)
        services.push(await startService(services.length === 0 ? settings : { ...settings, PORT: '0' }, {}));
      return stage;
    } catch (error) {
      // Open handles would keep the tests from ending.
      await stage.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    for (const service of this.services) await service.stop();
    await this.provider.stop();
  }

  signIn(user: string): Promise<SignedIn> {
    return SignedIn.signIn({ origin: this.provider.origin, clientId, redirectUri }, user);
  }

  /** A caller with this token at every process. */
  callers({ accessToken }: SignedIn): readonly ApiCaller[] {
    return this.services.map(({ url }) => new ApiCaller(url, accessToken));
  }

  /** The answers of every process at every kind of address. */
  async ask(someone: SignedIn): Promise<readonly Reply[]> {
    const asked = this.callers(someone).flatMap((caller) =>
      ['/me', '/notes', '/me/export', '/events?after=0'].map((path) => caller.get(path)),
    );
    return Promise.all(asked);
  }

  async isLetIn(someone: SignedIn): Promise<void> {
    for (const reply of await this.ask(someone)) assert.equal(reply.status, 200, reply.text);
  }

  /** Waits until every request is refused at every process. */
  async becomesRefused(someone: SignedIn): Promise<void> {
    const replies = await until(
      () => this.ask(someone),
      (all) => all.every(({ status }) => status === 403),
      'somebody who has signed out is let in',
    );
    for (const reply of replies) assertRefused(reply, 'token_revoked', someone.accessToken);
  }

  /** The provider sends its logout token before it answers its own page. */
  signsOutInTime(someone: SignedIn, bystander: SignedIn): Promise<void> {
    return assertShutOutWithinASecond(this.services, {
      token: someone.accessToken,
      bystander: bystander.accessToken,
      code: 'token_revoked',
      act: () => someone.signOut(),
    });
  }
}

for (const [engine, count] of [
  ['sqlite', 2],
  ['postgres', 2],
] as const)
  describe(`back-channel logout at the provider, on ${engine}, processes: ${count}`, () => {
    let stage: Stage;
    before(async () => {
      stage = await Stage.start(engine, count);
    });
    after(() => stage?.stop());

    it('a logout revokes the tokens of its session everywhere within a second, and ends its streams', async () => {
      const [someone, elsewhere, bystander] = [
        await stage.signIn('ada'),
        await stage.signIn('ada'),
        await stage.signIn('alan'),
      ];
      for (const one of [someone, elsewhere, bystander]) await stage.isLetIn(one);
      const others = await Promise.all(stage.callers(elsewhere).map((caller) => EventStream.open(caller)));
      await stage.signsOutInTime(someone, bystander);
      await stage.becomesRefused(someone);
      for (const stream of others) assert.equal(stream.isOver, false, 'another session goes on');
      for (const stream of others) stream.close();
      for (const one of [elsewhere, bystander]) await stage.isLetIn(one);
    });

    it('a new sign-in is accepted at once', async () => {
      const before = await stage.signIn('grace');
      await before.signOut();
      const again = await stage.signIn('grace');
      await stage.isLetIn(again);
      await stage.becomesRefused(before);
      await stage.isLetIn(again);
    });

    it('a process that starts later knows the logout', async () => {
      const someone = await stage.signIn('late');
      await someone.signOut();
      await stage.becomesRefused(someone);
      const third = await startService({ ...stage.settings, PORT: '0' });
      const reply = await new ApiCaller(third.url, someone.accessToken)
        .get('/me')
        .finally(() => third.stop());
      assertRefused(reply, 'token_revoked', someone.accessToken);
    });

    it('logouts and refusals are counted in the metrics', async () => {
      const metrics = await stage.services[0]?.metrics();
      assert.match(String(metrics), /^vestibule_sign_outs_total\{by="logout"\} [1-9]/m);
      assert.match(String(metrics), /^vestibule_revocations [1-9]/m);
      assert.match(String(metrics), /^vestibule_refusals_total\{code="token_revoked"\} [1-9]/m);
    });

    it('the operator can sign a caller out too, and sees it in "show" and the audit', async () => {
      const someone = await stage.signIn('operated');
      await stage.isLetIn(someone);
      const [caller] = stage.callers(someone);
      const { id } = (await caller?.get('/me'))?.json<{ id: string }>() ?? assert.fail();
      const run = async (...parameters: string[]) =>
        succeeded(await runVestibule(stage.settings, 'consumer', ...parameters, '--json'));
      assert.equal(JSON.parse(await run('show', id)).signed_out_at, null);
      const { signed_out_at: at } = JSON.parse(await run('sign-out', id));
      await stage.becomesRefused(someone);
      assert.equal(JSON.parse(await run('show', id)).signed_out_at, at);
      const audit = succeeded(await runVestibule(stage.settings, 'audit', '--json'));
      assert.match(audit, /consumer\.signed_out/);
    });

    it('a logout is kept for the maximum token lifetime, a sign-out by the operator for 30 days', async () => {
      const slackMs = 60_000;
      const rows = await plainSql(stage.settings).query(
        'select distinct forget_at - issued_until as kept from revocations order by kept',
      );
      const keptMs = rows.map(({ kept }) => Number(kept) - slackMs);
      assert.deepEqual(keptMs, [maxTokenSeconds * 1000, 30 * 86_400_000]);
    });
  });

it('POST /idp/logout answers 404 where no audience of logout tokens is set', async () => {
  const provider = await startDevProvider({
    port: 0,
    audience: 'x',
    webClient: { id: clientId, redirectUris: [redirectUri], postLogoutRedirectUris: [] },
  });
  const settings = await newSettings('sqlite', {
    IDP_ORIGIN: provider.origin,
    IDP_JWKS_PATH: '/jwks',
  });
  await using ends = new AsyncDisposableStack();
  ends.defer(() => provider.stop());
  const service = await startService(settings);
  ends.defer(() => service.stop());
  assertProblem(await request(`${service.url}/idp/logout`, { method: 'POST' }), 'not_found');
});
