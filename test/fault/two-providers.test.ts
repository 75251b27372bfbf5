import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { examined } from '../support/commands/examined.ts';
import { explained } from '../support/commands/explained.ts';
import { type Reply, request, withToken } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import {
  addClient,
  me,
  newSettings,
  type Service,
  type Settings,
  startService,
} from '../support/services/service.ts';
import { makeKey, TestProvider } from '../support/tokens/provider.ts';
import { type Credentials, tokenOf } from '../support/tokens/token-endpoint.ts';
import { inventedKids, openLoop } from './open-loop.ts';

interface Ready {
  readonly status: string;
  readonly checks: { readonly provider_keys: string };
  readonly providers: Readonly<Record<string, { next_fetch_in_seconds: number; last_fault: string | null }>>;
}

/** IDPS_FILE with an entry for each of these providers, by name. */
function listOf(settings: Settings, providers: Readonly<Record<string, TestProvider>>): Settings {
  const file = `${settings.TEST_DIRECTORY}/providers.yaml`;
  const entries = Object.entries(providers).map(
    ([name, { origin }]) => `- name: ${name}\n  origin: ${origin}\n  jwks_path: /jwks\n`,
  );
  writeFileSync(file, entries.join(''));
  return { ...settings, IDPS_FILE: file };
}

/** A service with two providers; the test moves their clocks together. */
class TwoProviders {
  readonly one: TestProvider;
  readonly other: TestProvider;
  readonly service: Service;

  constructor(one: TestProvider, other: TestProvider, service: Service) {
    this.one = one;
    this.other = other;
    this.service = service;
  }

  static async start(): Promise<TwoProviders> {
    const [one, other] = [await TestProvider.start(), await TestProvider.start()];
    const settings = listOf(await newSettings('sqlite', {}), { one, other });
    const two = new TwoProviders(one, other, await startService(settings));
    await two.settle();
    return two;
  }

  me(token: string): Promise<Reply> {
    return withToken(`${this.service.url}${me}`, token);
  }

  async ready(): Promise<Ready & { readonly httpStatus: number }> {
    const reply = await request(`${this.service.opsUrl}/readyz`);
    return { ...reply.json<Ready>(), httpStatus: reply.status };
  }

  async advance(milliseconds: number): Promise<void> {
    this.one.aheadMs += milliseconds;
    this.other.aheadMs += milliseconds;
    await this.service.advance(milliseconds);
    await this.settle();
  }

  /** Waits until no fetch is due or under way. */
  async settle(): Promise<void> {
    await until(
      () => this.ready(),
      ({ providers }) => Object.values(providers).every((state) => state.next_fetch_in_seconds > 0),
      'a fetch of the keys does not come to an end',
    );
  }

  /** The lines of a metric of each provider. */
  async metric(name: string, labels = ''): Promise<Readonly<Record<string, number>>> {
    const lines = (await this.service.metrics()).split('\n');
    const values = ['one', 'other'].map((provider) => {
      const start = `${name}{provider="${provider}"${labels}} `;
      const line = lines.find((text) => text.startsWith(start));
      return [provider, line === undefined ? 0 : Number(line.slice(start.length))] as const;
    });
    return Object.fromEntries(values);
  }

  async stop(): Promise<void> {
    await Promise.all([this.one.stop(), this.other.stop()]);
    await this.service.stop();
  }
}

const refreshMs = 601_000;
const dayMs = 86_400_000;

describe('two providers and POST /token at one service', () => {
  let running: TwoProviders;
  const two = () => running;
  let robot: Credentials;
  before(async () => {
    running = await TwoProviders.start();
    robot = { id: 'robot', secret: await addClient(two().service.settings, 'robot') };
  });
  after(() => running?.stop());
  const ownToken = () => tokenOf(two().service.url, robot);
  const status = async (token: string | Promise<string>) => (await two().me(await token)).status;

  it('accept the callers of all three; the same subject at two providers is two callers', async () => {
    const { one, other } = two();
    const ids = new Set<unknown>();
    for (const provider of [one, other]) {
      const reply = await two().me(await provider.token());
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.json().issuer, provider.origin);
      ids.add(reply.json().id);
    }
    assert.equal(ids.size, 2);
    assert.equal(await status(ownToken()), 200);
  });

  it('"explain" names the entry that it used', async () => {
    const { one, other, service } = two();
    for (const [name, provider] of Object.entries({ one, other })) {
      const { steps, code } = await explained(service.settings, await provider.token());
      assert.equal(code, null);
      const found = steps.find((step) => step.name === 'issuer')?.found;
      assert.equal(found, `"${provider.origin}": the provider "${name}"`);
      const wrong = await explained(service.settings, await provider.token({ aud: 'nobody' }));
      assert.match(wrong.summary, new RegExp(`and "audience" of "${name}" in IDPS_FILE is`));
    }
    const own = await explained(service.settings, await ownToken());
    assert.match(own.steps.find((step) => step.name === 'issuer')?.found ?? '', /: this service$/);
    const nobody = await explained(service.settings, await one.token({ iss: 'https://nobody.example' }));
    assert.match(nobody.summary, /Add an entry for it to IDPS_FILE/);
  });

  it('"/readyz", the metrics and "doctor" list each entry by name', async () => {
    const { httpStatus, checks, providers } = await two().ready();
    const shown = [httpStatus, checks.provider_keys, Object.keys(providers)];
    assert.deepEqual(shown, [200, 'ok', ['one', 'other']]);
    assert.deepEqual(await two().metric('vestibule_jwks_usable_keys'), { one: 1, other: 1 });
    assert.deepEqual(await two().metric('vestibule_jwks_fetches_total', ',result="ok"'), {
      one: 1,
      other: 1,
    });
    const findings = await examined(two().service.settings);
    for (const name of ['one: key', 'other: key'])
      assert.equal(findings.find((finding) => finding.name === name)?.result, 'pass', name);
  });

  it('refuse a token of one issuer signed with a key of the other', async () => {
    const { one, other } = two();
    const forged = await one.token({ iss: other.origin });
    assert.equal((await two().me(forged)).json().code, 'key_unknown');
    // Refused with the kid of the other's key, too.
    const named = await one.token({ iss: other.origin }, { kid: other.key.kid });
    assert.equal((await two().me(named)).json().code, 'signature_invalid');
  });

  it('a flood of invented kids at one causes no fetch at the other and hides no rotation there', async () => {
    const { one, other, service } = two();
    await two().advance(31_000);
    const asked = { one: one.fetches, other: other.fetches };
    const tokens = await inventedKids(one, 600);
    const flooding = openLoop(service.url + me, 1_000, tokens);
    const next = await makeKey();
    other.keys.push(next);
    assert.equal(await status(other.token({}, {}, next)), 200, 'the new key of the other counts at once');
    assert.equal(await status(ownToken()), 200);
    assert.ok(!(await flooding).has(200));
    assert.equal(one.fetches, asked.one + 1, 'one look for all of them');
    assert.equal(other.fetches, asked.other + 1, 'one look for the key that was rotated in');
  });

  it('a key withdrawn by one is refused; the other is not affected', async () => {
    const { one, other } = two();
    const removed = other.keys.shift();
    await two().advance(refreshMs);
    const stale = await two().me(await other.token({}, {}, removed));
    assert.equal(stale.json().code, 'key_unknown');
    assert.equal(await status(other.token()), 200);
    assert.equal(await status(one.token()), 200);
  });

  it('a provider that does not answer delays only tokens with an unknown key of it', async () => {
    const { one, other } = two();
    await two().advance(31_000);
    one.answer = () => {};
    const unknown = await one.token({}, {}, await makeKey());
    let isAnswered = false;
    const waiting = two()
      .me(unknown)
      .then((reply) => {
        isAnswered = true;
        return reply;
      });
    const asked = () => one.waiting;
    await until(asked, (count) => count > 0, 'the key is not asked for');
    const fetched = other.fetches;
    for (let count = 0; count < 20; count += 1)
      assert.equal(await status(other.token({ sub: `caller ${count}` })), 200);
    assert.equal(await status(one.token()), 200, 'the keys that are at hand are used');
    assert.equal(await status(ownToken()), 200);
    assert.equal(isAnswered, false, 'control: the provider still has not answered');
    assert.equal(other.fetches, fetched);
    one.answer = null;
    await two().service.advance(10_000);
    one.aheadMs += 10_000;
    other.aheadMs += 10_000;
    assert.equal((await waiting).status, 403);
    await two().settle();
  });

  for (const [fault, body] of Object.entries({
    'no JSON': 'oops',
    'no keys': '{"keys":[]}',
    'only a symmetric key': '{"keys":[{"kty":"oct","k":"AAAA","kid":"x","alg":"HS256"}]}',
  })) {
    it(`an invalid key set of one (${fault}) does not affect the other`, async () => {
      const { one, other } = two();
      const fetched = other.fetches;
      one.answer = (_request, response) => response.end(body);
      await two().advance(refreshMs);
      const { httpStatus, checks, providers } = await two().ready();
      assert.deepEqual([httpStatus, checks.provider_keys], [200, 'ok'], 'the last good keys count');
      assert.notEqual(providers.one?.last_fault, null);
      assert.equal(providers.other?.last_fault, null);
      assert.equal(other.fetches, fetched + 1, 'the other is asked as ever');
      for (const token of [one.token(), other.token(), ownToken()]) assert.equal(await status(token), 200);
      one.answer = null;
      await two().advance(refreshMs);
    });
  }

  it('an outage of one does not affect the others, even past the maximum age of its keys', async () => {
    const { one, other, service } = two();
    await one.stop();
    await two().advance(refreshMs);
    for (const token of [one.token(), other.token(), ownToken()]) assert.equal(await status(token), 200);
    for (let hour = 0; hour < 25; hour += 5) await two().advance((dayMs / 24) * 5);
    const refused = await two().me(await one.token());
    assert.deepEqual([refused.status, refused.json().code], [503, 'keys_unavailable']);
    assert.equal(await status(other.token()), 200);
    assert.equal(await status(ownToken()), 200);
    const { httpStatus, status: said, checks, providers } = await two().ready();
    assert.deepEqual([httpStatus, said, checks.provider_keys], [200, 'ready', 'some not available']);
    assert.deepEqual([providers.one?.last_fault, providers.other?.last_fault], ['unreachable', null]);
    const left = await two().metric('vestibule_jwks_stale_seconds_left');
    assert.equal(left.one, 0);
    assert.ok(Number(left.other) > 0);
    const faults = await two().metric('vestibule_jwks_fetches_total', ',result="unreachable"');
    assert.ok(Number(faults.one) > 0);
    assert.equal(faults.other, 0);
    const findings = await examined(service.settings);
    const result = (name: string) => findings.find((finding) => finding.name === name)?.result;
    assert.deepEqual([result('one: key'), result('other: key')], ['fail', 'pass']);
  });

  it('the service is unready when no provider has keys, and ready when one is back', async () => {
    const { one, other } = two();
    await other.stop();
    for (let hour = 0; hour < 25; hour += 5) await two().advance((dayMs / 24) * 5);
    const none = await two().ready();
    assert.deepEqual([none.httpStatus, none.checks.provider_keys], [503, 'not available']);
    assert.equal(await status(ownToken()), 200, 'tokens of our own need no provider');
    await one.comeBack();
    await two().advance(5_000);
    const again = await two().ready();
    assert.deepEqual([again.httpStatus, again.checks.provider_keys], [200, 'some not available']);
    assert.equal(await status(one.token()), 200);
    assert.equal(await status(other.token()), 503);
  });
});

describe('a provider that is moved into a list of entries', () => {
  it('keeps its callers; the other entry has different ones', async (t) => {
    const [one, other] = [await TestProvider.start(), await TestProvider.start()];
    t.after(() => Promise.all([one.stop(), other.stop()]));
    const settings = await newSettings('sqlite', {});
    const shown = async (own: Readonly<Record<string, string>>, providers: readonly TestProvider[]) => {
      const service = await startService(own);
      try {
        const replies = [];
        for (const provider of providers)
          replies.push(await withToken(service.url + me, await provider.token()));
        for (const reply of replies) assert.equal(reply.status, 200, reply.text);
        return replies.map((reply) => reply.json<{ id: string; registered_at: string }>());
      } finally {
        await service.stop();
      }
    };
    const [before] = await shown({ ...settings, ...one.settings }, [one]);
    const [listed, stranger] = await shown(listOf(settings, { other, one }), [one, other]);
    assert.deepEqual([listed?.id, listed?.registered_at], [before?.id, before?.registered_at]);
    assert.notEqual(stranger?.id, before?.id);
    const [back] = await shown({ ...settings, ...one.settings }, [one]);
    assert.deepEqual([back?.id, back?.registered_at], [before?.id, before?.registered_at]);
  });
});
