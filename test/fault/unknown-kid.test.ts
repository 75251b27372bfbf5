import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { answerWith } from '../support/faults/hostile-answers.ts';
import { assertRefused } from '../support/http/refusals.ts';
import { withToken } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { Deployment, deployment } from '../support/services/deployment.ts';
import { failedFetches, keysMetric, refreshKeys, statusesOfNew } from '../support/services/provider-keys.ts';
import { me } from '../support/services/service.ts';
import { type Claims, makeKey } from '../support/tokens/provider.ts';
import { inventedKids, openLoop } from './open-loop.ts';

const patient = { REFUSALS_PER_MINUTE: '1000000' };

/** Sends many tokens at once that would be valid if their kid existed. */
async function spray(pair: Deployment, count: number): Promise<void> {
  const tokens = await inventedKids(pair.provider, count);
  const replies = await Promise.all(tokens.map((token) => pair.me(token)));
  for (const [index, reply] of replies.entries()) assertRefused(reply, 'key_unknown', String(tokens[index]));
}

describe('invented kids', () => {
  const pair = deployment({ settings: patient, hasKeys: true });

  it('[B78] cause one fetch in thirty seconds', async () => {
    const { provider } = pair();
    for (let window = 0; window < 6; window += 1) {
      const before = provider.fetches;
      await pair().advance(30_000);
      for (let wave = 0; wave < 5; wave += 1) await spray(pair(), 40);
      assert.ok(provider.fetches - before <= 1, `${provider.fetches - before} requests in one window`);
      assert.deepEqual(await statusesOfNew(pair(), 5), [200]);
    }
    assert.ok(provider.fetches >= 4, 'control: the names were looked for');
  });

  it('[B78] one kid again and again causes one fetch a minute', async () => {
    const { provider } = pair();
    // Waits until the search that the spray has left is done and the cool-down is over.
    for (let passed = 0; passed < 2; passed += 1) await pair().advance(60_000);
    const token = await provider.token({ exp: 9_999_999_999 }, { kid: randomUUID() });
    const before = provider.fetches;
    for (let passed = 0; passed < 4; passed += 1) {
      assertRefused(await pair().me(token), 'key_unknown', token);
      assert.equal(provider.fetches, before + 1);
      await pair().advance(14_000);
    }
  });

  it('[B79] do not change the backoff of retries while the provider is down', async () => {
    const { provider } = pair();
    await pair().advance(600_000);
    provider.answer = answerWith(500);
    const earlier = failedFetches(pair()).length;
    const before = provider.fetches;
    await pair().advance(600_000);
    for (let count = 1; count <= 9; count += 1) {
      await spray(pair(), 30);
      await pair().advance(1_000 * (await keysMetric(pair(), 'vestibule_jwks_next_fetch_seconds')));
    }
    const failed = failedFetches(pair()).slice(earlier);
    assert.equal(
      provider.fetches - before,
      failed.length,
      'each request to the provider is one of these tries',
    );
    const steps = [1, 2, 4, 8, 16, 32, 60, 60, 60];
    for (const [index, step] of steps.entries()) {
      const { retryInSeconds } = failed[index] ?? { retryInSeconds: 0 };
      assert.ok(
        retryInSeconds >= step && retryInSeconds <= Math.round(step * 1.25),
        `try ${index + 1} waits for ${retryInSeconds} s instead of ${step} to ${step * 1.25} s`,
      );
    }
    assert.deepEqual(await statusesOfNew(pair(), 3), [200]);
  });
});

describe('a cold start', () => {
  it('[B80] many tokens before the first keys cause one fetch and are all accepted', async () => {
    let open = () => {};
    let tokens: string[] = [];
    const pair = await Deployment.start({
      async prepare(_settings, provider) {
        // Signed beforehand: the service gives its provider five seconds. They have no subject, so that no caller has to be
        // registered first.
        const nobody = { sub: undefined };
        tokens = await Promise.all(Array.from({ length: 200 }, () => provider.token(nobody)));
        provider.answer = (_request, response) => {
          open = () => response.end(JSON.stringify(provider.document));
        };
      },
    });
    try {
      const { provider, service } = pair;
      const replies = tokens.map((token) => withToken(service.url + me, token));
      const fetches = () => provider.waiting;
      await until(fetches, (waiting) => waiting === 1, 'the keys are not fetched');
      open();
      const statuses = (await Promise.all(replies)).map(({ status }) => status);
      assert.deepEqual([...new Set(statuses)], [200]);
      assert.equal(provider.fetches, 1);
    } finally {
      await pair.stop();
    }
  });
});

describe('a rotation', () => {
  const pair = deployment({ hasKeys: true });

  it('[B81] a new key that is used at once is accepted after one more fetch', async () => {
    const { provider } = pair();
    const next = await makeKey();
    provider.keys.push(next);
    const before = provider.fetches;
    const reply = await pair().me(await provider.token({}, {}, next));
    assert.equal(reply.status, 200, reply.text);
    assert.equal(provider.fetches, before + 1);
    assert.deepEqual(await statusesOfNew(pair(), 10), [200]);
    assert.equal(provider.fetches, before + 1);
  });

  it('[B81] ten minutes of a rotation with two published keys refuse no caller', async () => {
    const { provider } = pair();
    const next = await makeKey();
    await pair().advance(30_000);
    provider.keys.push(next);
    for (let passed = 0; passed < 10; passed += 1) {
      const tokens = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          provider.token({ sub: `caller ${index}` }, {}, index % 2 === 0 ? provider.key : next),
        ),
      );
      const replies = await Promise.all(tokens.map((token) => pair().me(token)));
      assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200], `minute ${passed}`);
      await pair().advance(60_000);
    }
  });

  it('[B81] a key used before its publication is accepted once it is published', async () => {
    const { provider } = pair();
    const early = await makeKey();
    await pair().advance(30_000);
    const token = await provider.token({}, {}, early);
    assertRefused(await pair().me(token), 'key_unknown', token);
    provider.keys.push(early);
    await pair().advance(300_000);
    assert.equal((await pair().me(await provider.token({}, {}, early))).status, 200);
  });

  it('[B82] a key that is no longer published is refused after the next refresh', async () => {
    const { provider } = pair();
    const [old, ...others] = provider.keys;
    assert.ok(old !== undefined && others.length > 0);
    const far = { exp: 9_999_999_999 };
    const seen = await provider.token(far, {}, old);
    assert.equal((await pair().me(seen)).status, 200);
    provider.keys = others;
    await refreshKeys(pair());
    for (const token of [seen, await provider.token({}, {}, old)])
      assertRefused(await pair().me(token), 'key_unknown', token);
    assert.deepEqual(await statusesOfNew(pair(), 3), [200]);
  });
});

describe('two thousand invented kids a second', () => {
  const pair = deployment({ settings: { ...patient, LOG_LEVEL: 'info' }, hasKeys: true });
  // A slow machine takes more than the half minute for a flood.
  before(() => pair().service.holdTime(true));
  const flood = (tokens: readonly string[]) => openLoop(pair().service.url + me, 2_000, tokens);
  const all403 = (count: number) => new Map([[403, count]]);
  const invented = (count: number, claims?: Claims) => inventedKids(pair().provider, count, claims);

  it('tokens that would be refused anyway cause no fetch', async () => {
    const { provider } = pair();
    const before = provider.fetches;
    const hopeless: Claims[] = [
      { aud: 'https://other.example' },
      { exp: 1_000_000_000 },
      { nbf: 9_999_999_999 },
      { exp: undefined },
      { sub: 7 },
    ];
    const tokens = (await Promise.all(hopeless.map((claims) => invented(100, claims)))).flat();
    assert.deepEqual(await flood(tokens), all403(tokens.length));
    await pair().advance(31_000);
    assert.equal(provider.fetches, before);
  });

  it('a key rotated in during the flood is accepted after thirty seconds', async () => {
    const { provider } = pair();
    // Waits until the search that the last flood has left is done and the half minute is over.
    for (let window = 0; window < 2; window += 1) await pair().advance(31_000);
    const before = provider.fetches;
    const next = await makeKey();
    const flooding = flood(await invented(2_000));
    await pair().me(String((await invented(1))[0]));
    assert.equal(provider.fetches, before + 1, 'control: the flood has used up what there is to ask');
    assert.deepEqual(await statusesOfNew(pair(), 20), [200]);
    provider.keys.push(next);
    const early = await pair().me(await provider.token({}, {}, next));
    assert.equal(early.json().code, 'key_unknown');
    await flooding;
    await pair().advance(30_000);
    const reply = await pair().me(await provider.token({}, {}, next));
    assert.equal(reply.status, 200, reply.text);
    assert.equal(provider.fetches, before + 2);
    assert.deepEqual(await flood(await invented(400)), all403(400));
    assert.equal((await pair().me(await provider.token({}, {}, next))).status, 200);
    assert.equal(provider.fetches, before + 2);
  });
});
