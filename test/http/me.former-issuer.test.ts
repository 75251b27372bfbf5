import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { explained } from '../support/commands/explained.ts';
import { succeeded } from '../support/commands/outcome.ts';
import { assertProblem } from '../support/http/answers.ts';
import { ApiCaller } from '../support/http/api-caller.ts';
import { assertRefused } from '../support/http/refusals.ts';
import { request } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { declarationsFolder, sampleDeclarations } from '../support/services/declarations.ts';
import {
  newSettings,
  runVestibule,
  type Service,
  type Settings,
  startService,
} from '../support/services/service.ts';
import { type Claims, TestProvider } from '../support/tokens/provider.ts';
import { logoutToken, webClient } from '../support/tokens/provider-documents.ts';

/** The settings of a provider whose issuer was `former`. */
const ways: Record<string, (provider: TestProvider, former: string, settings: Settings) => Settings> = {
  IDP_FORMER_ISSUER: (provider, former, settings) => ({
    ...settings,
    ...provider.settings,
    WEB_CLIENT_ID: webClient,
    IDP_FORMER_ISSUER: former,
  }),
  'former_issuer of an entry': ({ origin }, former, settings) => {
    const file = `${settings.TEST_DIRECTORY}/providers.yaml`;
    const members = [
      `origin: ${origin}`,
      'jwks_path: /jwks',
      `web_client_id: ${webClient}`,
      `former_issuer: ${former}`,
    ];
    writeFileSync(file, `- name: main\n${members.map((member) => `  ${member}\n`).join('')}`);
    return { ...settings, IDPS_FILE: file };
  },
};

for (const [name, settingsOf] of Object.entries(ways))
  describe(`a provider with a new issuer, by ${name}`, () => {
    let former: TestProvider;
    let provider: TestProvider;
    let settings: Settings;
    let service: Service;
    let known: { readonly me: Record<string, unknown>; readonly record: string };
    const personAt = async (at: TestProvider, claims: Claims = {}) =>
      new ApiCaller(service.url, await at.token({ sub: 'person', ...claims }));

    before(async () => {
      [former, provider] = [await TestProvider.start(), await TestProvider.start()];
      settings = await newSettings('sqlite', {
        COLLECTIONS_DIR: declarationsFolder(sampleDeclarations),
      });
      service = await startService({ ...settings, ...former.settings });
      const person = await personAt(former);
      const { record } = await person.make('notes', { text: 'from before' });
      known = { me: (await person.get('/me')).json(), record: record.id };
      const suspended = (await (await personAt(former, { sub: 'suspended' })).get('/me')).json().id;
      await service.stop();
      succeeded(await runVestibule(settings, 'consumer', 'suspend', String(suspended)));
      service = await startService(settingsOf(provider, former.origin, settings));
    });
    after(async () => {
      await former.stop();
      await provider.stop();
      await service.stop();
    });

    it('keeps id, registration date and records of a person, and shows the new issuer', async () => {
      // An origin stands for two issuers: with and without a slash.
      for (const iss of [provider.origin, `${provider.origin}/`]) {
        const person = await personAt(provider, { iss });
        const { id, registered_at, issuer } = (await person.get('/me')).json();
        assert.deepEqual([id, registered_at], [known.me.id, known.me.registered_at]);
        assert.equal(issuer, iss);
        const ids = (await person.all('notes')).map((record) => record.id);
        assert.deepEqual(ids, [known.record]);
      }
    });

    it('keeps a person suspended', async () => {
      const person = await personAt(provider, { sub: 'suspended' });
      assertProblem(await person.get('/me'), 'consumer_suspended');
    });

    it('refuses tokens of the former issuer', async () => {
      for (const signer of [former, provider]) {
        const person = await personAt(signer, { iss: former.origin });
        assertRefused(await person.get('/me'), 'issuer_mismatch', person.token);
      }
    });

    it('"explain" finds the same pseudonym', async () => {
      const { token } = await personAt(provider);
      assert.equal((await explained(service.settings, token)).pseudonym, known.me.id);
    });

    /** Claims of a logout token, of the tokens that it revokes, and of those that it leaves. */
    const logouts: Record<
      string,
      readonly [said: Claims, ends: readonly Claims[], leaves: readonly Claims[]]
    > = {
      'a session': [
        { sub: undefined, sid: 'one' },
        [{ sub: 'leaver', sid: 'one' }],
        [{ sub: 'leaver', sid: 'two' }, { sub: 'leaver' }],
      ],
      'a person': [
        { sub: 'leaver' },
        [{ sub: 'leaver' }, { sub: 'leaver', sid: 'two' }],
        [{ sub: 'person' }, { sub: 'person', sid: 'two' }],
      ],
    };
    for (const [what, [said, ends, leaves]] of Object.entries(logouts))
      it(`a logout of ${what} revokes its tokens and no others`, async () => {
        const callers = (claims: readonly Claims[]) =>
          Promise.all(claims.map((one) => personAt(provider, one)));
        const [ended, left] = [await callers(ends), await callers(leaves)];
        for (const caller of [...ended, ...left]) assert.equal((await caller.get('/me')).status, 200);
        const body = new URLSearchParams({ logout_token: await logoutToken(provider, said) });
        assert.equal((await request(`${service.url}/idp/logout`, { method: 'POST', body })).status, 200);
        for (const caller of ended) {
          const reply = await until(
            () => caller.get('/me'),
            ({ status }) => status === 403,
            'a token of before the logout is let in',
          );
          assertRefused(reply, 'token_revoked', caller.token);
        }
        for (const caller of left) assert.equal((await caller.get('/me')).status, 200);
      });
  });

describe('a provider with a new issuer, without a former issuer setting', () => {
  it('gives callers a different id', async () => {
    const providers = [await TestProvider.start(), await TestProvider.start()];
    const settings = await newSettings('sqlite', {});
    const ids = new Set<unknown>();
    for (const provider of providers) {
      const service = await startService({ ...settings, ...provider.settings });
      const reply = await new ApiCaller(service.url, await provider.token({ sub: 'person' })).get('/me');
      ids.add(reply.json().id);
      await service.stop();
      await provider.stop();
    }
    assert.equal(ids.size, 2);
  });
});
