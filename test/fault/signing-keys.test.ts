import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { calculateJwkThumbprint, createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { ConfirmedTime } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import type { SigningKeyRecord } from '../../src/storage/port.ts';
import { SigningKeys } from '../../src/tokens/signing-keys.ts';
import { withoutDatabase } from '../support/faults/unreachable-database.ts';
import { assertRefused } from '../support/http/refusals.ts';
import { until } from '../support/run/polling.ts';
import { Deployment, dayMs, deployment, hourMs } from '../support/services/deployment.ts';
import { MovableClock } from '../support/services/movable-clock.ts';
import { databaseEngines, newSettings, someEngine, startService } from '../support/services/service.ts';
import {
  type ListedKey,
  listedKeys,
  published,
  publishedKids,
  signingKids,
  untilPublished,
} from '../support/services/signing-keys.ts';
import { ownSigningKey } from '../support/tokens/own-signing-key.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import type { Credentials } from '../support/tokens/token-endpoint.ts';
import { livingForAYear, TokenLoad } from './token-load.ts';

const minute = 60_000;

const kidsOf = (keys: readonly ListedKey[]) => keys.map(({ kid }) => kid);
const signsFrom = (key: ListedKey | undefined) => Date.parse(String(key?.signs_from));
const retiresAt = (key: ListedKey | undefined) => Date.parse(String(key?.retires_at));

const byThree = (kids: readonly string[]) => [kids, kids, kids];

for (const engine of someEngine) {
  describe(`the lifecycle of a signing key on ${engine}`, () => {
    const three = deployment({ engine, processes: 3, settings: { TOKEN_SIGNING_ALG: 'RS256' } });
    let client: Credentials;
    let old: ListedKey;
    let next: ListedKey;
    let oldTokens: string[];
    before(async () => {
      client = await three().addClient('caller');
    });

    it('the first key is created once when several processes start on a new database', async () => {
      const [kids = [], ...others] = await publishedKids(three());
      assert.equal(kids.length, 1);
      assert.deepEqual(others, [kids, kids]);
      assert.deepEqual(kidsOf(await listedKeys(three())), kids);
      assert.deepEqual(await signingKids(three(), client), kids);
      const added = await three().audited('key.added');
      const entries = added.map(({ actor, subject }) => ({ actor, subject }));
      assert.deepEqual(entries, [{ actor: 'serve', subject: kids[0] }]);
    });

    it('the next key is created once and published 15 minutes before it signs', async () => {
      await three().advance(90 * dayMs - 15 * minute);
      await untilPublished(three(), 2);
      [old, next] = (await listedKeys(three())) as [ListedKey, ListedKey];
      assert.equal(signsFrom(next) - Date.parse(next.created_at), 900_000);
      assert.equal(retiresAt(old) - signsFrom(next), 600_000 + minute, 'the life of a token, and a minute');
      assert.equal(next.retires_at, null);
      assert.deepEqual(await signingKids(three(), client), [old.kid]);
      assert.equal((await three().audited('key.added')).length, 2, 'three processes, one new key');
    });

    it('all processes switch at the same time, without a restart', async () => {
      const before = await three().jsonOf<unknown[]>('audit');
      await three().moveTo(signsFrom(next) - minute);
      oldTokens = await three().tokens(client);
      assert.deepEqual(await signingKids(three(), client), [old.kid]);
      await three().moveTo(signsFrom(next));
      assert.deepEqual(await signingKids(three(), client), [next.kid]);
      assert.deepEqual(await three().jsonOf<unknown[]>('audit'), before, 'nobody has done anything');
      await three().letIn([...oldTokens, ...(await three().tokens(client))]);
    });

    it('[B88] the old key is published until its last token has expired, and then deleted', async () => {
      await three().moveTo(retiresAt(old) - minute);
      assert.deepEqual(await publishedKids(three()), byThree([old.kid, next.kid]));
      await three().moveTo(retiresAt(old));
      assert.deepEqual(await publishedKids(three()), byThree([next.kid]));
      await until(
        async () => kidsOf(await listedKeys(three())),
        (kids) => kids.length === 1 && kids[0] === next.kid,
        'the retired key is still in the database',
      );
      const retired = await three().audited('key.retired');
      const subjects = retired.map(({ subject }) => subject);
      assert.deepEqual(subjects, [old.kid]);
      await three().letIn(await three().tokens(client));
    });
  });

  describe(`signing keys during a database outage: ${engine}`, () => {
    const one = deployment({ engine, settings: { TOKEN_TTL_SECONDS: '86400' } });

    it('known keys stay in use and switch on time; the next is created afterwards', async () => {
      const client = await one().addClient('caller');
      const tokens = await one().tokens(client);
      const { kid, signs_from } = await one().jsonOf<ListedKey>('keys', 'rotate');
      const kids = await untilPublished(one(), 2);
      assert.equal(kids[1], kid);
      await one().letIn(tokens);
      await withoutDatabase(one().settings, async () => {
        await one().moveTo(Date.parse(signs_from));
        await one().advance(hourMs);
        await until(
          () =>
            one()
              .services[0]?.logLines()
              .map(({ msg }) => msg) ?? [],
          (messages) => messages.includes('signing keys cannot be rotated'),
          'control: the database is still there',
        );
        assert.deepEqual(await publishedKids(one()), [kids]);
        await one().letIn(tokens);
      });
      const statuses = async () => (await one().postTokens(client)).map(({ status }) => status);
      await until(statuses, ([status]) => status === 200, 'the database is not used again');
      assert.deepEqual(await signingKids(one(), client), [kid]);
      await one().advance(90 * dayMs);
      await until(
        () => publishedKids(one()),
        ([published = []]) => published.includes(kid) && published.at(-1) !== kid,
        'no key follows',
      );
    });
  });
}

describe('a changed signing algorithm', () => {
  const two = deployment({
    engine: 'postgres',
    processes: 2,
    settings: { TOKEN_TTL_SECONDS: '3600', TOKEN_SIGNING_ALG: 'RS256' },
    clients: { caller: [] },
  });
  let client: Credentials;
  before(() => {
    client = two().client('caller');
  });

  for (const [at, algorithm] of ['ES256', 'EdDSA'].entries()) {
    it(`${algorithm} is published first and signs later, also at processes with the old setting`, async () => {
      const before = await two().tokens(client);
      const [signing] = await signingKids(two(), client);
      await two().restart(0, { changes: { TOKEN_SIGNING_ALG: algorithm } });
      await two().advance(minute);
      const kids = await untilPublished(two(), at + 2);
      const next = (await listedKeys(two())).at(-1);
      assert.deepEqual([next?.kid, next?.algorithm], [kids.at(-1), algorithm]);
      assert.deepEqual(await signingKids(two(), client), [signing]);
      await two().moveTo(signsFrom(next) - minute);
      assert.deepEqual(await signingKids(two(), client), [signing]);
      await two().moveTo(signsFrom(next));
      assert.deepEqual(await signingKids(two(), client), [next?.kid]);
      const after = await two().tokens(client);
      for (const token of after) assert.equal(decodeProtectedHeader(token).alg, algorithm);
      await two().letIn([...before, ...after]);
    });
  }

  it('[B88] each kind of key is published with exactly the members of RFC 7517, 7518 and 8037', async () => {
    const [keys = [], others] = await published(two());
    assert.deepEqual(others, keys);
    const [rsa, ec, okp] = keys as Record<string, unknown>[];
    const number = (bytes: number) => new RegExp(`^[\\w-]{${Math.ceil((bytes * 4) / 3)}}$`);
    for (const [key, fixed, numbers] of [
      [rsa, { kty: 'RSA', alg: 'RS256', e: 'AQAB' }, { n: 256 }],
      [ec, { kty: 'EC', alg: 'ES256', crv: 'P-256' }, { x: 32, y: 32 }],
      [okp, { kty: 'OKP', alg: 'EdDSA', crv: 'Ed25519' }, { x: 32 }],
    ] as const) {
      const found = Object.entries(numbers).map(([name, bytes]) => {
        assert.match(String(key?.[name]), number(bytes), `${fixed.kty} ${name}`);
        return [name, key?.[name]];
      });
      const kid = await calculateJwkThumbprint(key ?? {});
      assert.deepEqual(key, { ...fixed, ...Object.fromEntries(found), kid, use: 'sig' });
    }
    const [token = ''] = await two().tokens(client);
    const { payload } = await jwtVerify(token, createLocalJWKSet({ keys }), {
      currentDate: new Date(two().now()),
      typ: 'at+jwt',
    });
    assert.equal(payload.client_id, 'caller', 'a library that others use verifies our token with it');
  });
});

it('a signing key that expires during a read of the keys gets a successor', async () => {
  const clock = new MovableClock();
  const log = createLog('silent');
  const records: SigningKeyRecord[] = [];
  let read = Promise.resolve();
  let reads = 0;
  const keys = new SigningKeys({
    store: {
      async list() {
        reads += 1;
        await read;
        return [...records];
      },
      async addNext(key) {
        records.push(key);
        return true;
      },
      deleteRetired: async () => [],
      bringForward: async () => assert.fail(),
    },
    sealingKey: new Uint8Array(32),
    audit: (action, subject) => ({ at: 0, actor: 'test', node: 'test', action, subject, details: {} }),
    algorithm: 'ES256',
    tokenTtlMs: 600_000,
    clock,
    time: new ConfirmedTime(clock, log),
    log,
  });
  await keys.start();
  const readsBefore = reads;
  const gate = Promise.withResolvers<void>();
  read = gate.promise;
  clock.advance(minute);
  const count = () => reads;
  await until(count, (now) => now > readsBefore, 'the keys are not read again');
  clock.advance(90 * dayMs);
  gate.resolve();
  const published = () => keys.published().length;
  await until(published, (count) => count === 2, 'no key follows');
  keys.stop();
});

describe('a signing key that expires while the process is down', () => {
  const one = deployment({ settings: { TOKEN_SIGNING_ALG: 'RS256' } });

  it('gets a successor at the start after 90 days', async () => {
    const [[first] = []] = await publishedKids(one());
    await one().restart(0, { afterMs: 89 * dayMs });
    assert.deepEqual(await publishedKids(one()), [[first]]);
    await one().restart(0, { afterMs: dayMs });
    assert.deepEqual(
      await publishedKids(one()),
      [[first]],
      'not before the clock has been right for a minute',
    );
    await one().advance(minute);
    await untilPublished(one(), 2);
    const [[old, second, ...others] = []] = await publishedKids(one());
    assert.deepEqual([old, others], [first, []]);
    assert.notEqual(second, undefined);
  });
});

for (const engine of databaseEngines) {
  describe(`a new key that signs at once, on ${engine}`, () => {
    const two = deployment({ engine, processes: 2, settings: { REFUSALS_PER_MINUTE: '1000000' } });
    let client: Credentials;
    before(async () => {
      // Started later, it polls for changes at other moments than the first process.
      await two().restart(1);
      client = await two().addClient('caller');
    });

    /** Rotates so many times. All tokens issued meanwhile are accepted everywhere, and each new key signs. */
    const rotateAtOnce = async (times: number) => {
      const load = new TokenLoad(two(), [client]);
      try {
        for (let time = 0; time < times; time += 1) {
          const { kid } = await two().jsonOf<ListedKey>('keys', 'rotate', '--now');
          await until(
            () => signingKids(two(), client),
            (kids) => kids.length === 1 && kids[0] === kid,
            'not everybody signs with the new key',
          );
          await load.goRound();
        }
      } finally {
        await load.stop();
      }
      assert.deepEqual(load.refused, []);
    };

    it('its tokens are accepted by processes that have not read it yet', async () => {
      await rotateAtOnce(2);
      // The others stay until their tokens have expired.
      await untilPublished(two(), 3);
    });

    it('its tokens are accepted during a flood of invented kids', async () => {
      const key = await ownSigningKey(two().settings);
      const [token = ''] = await two().tokens(client);
      const invented = await livingForAYear(token, { ...key, kid: 'invented' });
      let isOver = false;
      const flood = async () => {
        while (!isOver) {
          for (const reply of await two().meAtEach(invented)) assertRefused(reply, 'key_unknown', invented);
        }
      };
      const rotating = rotateAtOnce(3).finally(() => {
        isOver = true;
      });
      await Promise.all([rotating, flood()]);
    });

    it('tokens accepted before are refused as soon as their key has retired', async () => {
      const key = await ownSigningKey(two().settings);
      const [token = ''] = await two().tokens(client);
      const [remembered, unseen] = [await livingForAYear(token, key), await livingForAYear(token, key)];
      await two().letIn([remembered]);
      const listed = (await listedKeys(two())).find(({ kid }) => kid === key.kid);
      await two().moveTo(Date.parse(String(listed?.retires_at)));
      for (const stolen of [unseen, remembered])
        for (const reply of await two().meAtEach(stolen)) assertRefused(reply, 'key_unknown', stolen);
    });
  });
}

describe('a new key that signs at once, created while the clock is behind the previous key', () => {
  let one: Deployment;
  before(async () => {
    const provider = await TestProvider.start();
    const settings = await newSettings('sqlite', provider.settings);
    // Commands run by the real time: an hour behind this process, which makes the first key.
    const service = await startService(settings, { aheadMs: 3_600_000 });
    one = new Deployment(provider, settings, [service]);
  });
  after(() => one.stop());

  it('signs from then on, its tokens are accepted, and another can follow it', async () => {
    const client = await one.addClient('caller');
    for (let time = 0; time < 2; time += 1) {
      const { kid } = await one.jsonOf<ListedKey>('keys', 'rotate', '--now');
      const kids = () => signingKids(one, client);
      await until(kids, (kids) => kids.length === 1 && kids[0] === kid, 'the new key does not sign');
      await one.letIn(await one.tokens(client));
    }
  });
});
