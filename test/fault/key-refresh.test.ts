import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { FetchError, type FetchFault, fetchDocument } from '../../src/auth/provider-fetch.ts';
import { ProviderKeys } from '../../src/auth/provider-keys.ts';
import type { StoredKeySet } from '../../src/auth/stored-key-set.ts';
import { Refusal } from '../../src/base/errors.ts';
import { createLog } from '../../src/base/log.ts';
import { answerText, answerWith, silence, slowBody, slowHead } from '../support/faults/hostile-answers.ts';
import { until } from '../support/run/polling.ts';
import { MovableClock } from '../support/services/movable-clock.ts';
import { type Answer, makeKey, TestProvider } from '../support/tokens/provider.ts';

/** The provider's keys inside one process; the test controls the clock and the jitter of retries. */
let provider: TestProvider;
let clock: MovableClock;
let tries: number;
let luck: number;
let stored: StoredKeySet | null;
let keys: ProviderKeys;

const maxStaleSeconds = 3 * 86_400;
const newKeys = () =>
  new ProviderKeys({
    ask: (stopping, headers) => fetchDocument(`${provider.origin}/jwks`, stopping, headers),
    algorithms: ['RS256'],
    maxStaleSeconds,
    memory: {
      load: async () => stored,
      save: async (set) => {
        stored = set;
      },
    },
    clock,
    log: createLog('silent'),
    onFetch: () => {
      tries += 1;
    },
    random: () => luck,
  });

beforeEach(async () => {
  provider = await TestProvider.start();
  clock = new MovableClock();
  tries = 0;
  luck = 0;
  stored = null;
  keys = newKeys();
});
afterEach(async () => {
  keys.stop();
  await provider.stop();
});

const tried = (count: number) =>
  until(
    () => tries,
    (seen) => seen === count,
    `${count} fetches`,
  );
const begin = async () => {
  await keys.start();
  await tried(1);
};
/** Asks for a key for a token that is valid except for its signature. */
const find = async (kid: string) => keys.find(kid, 'RS256', () => true);
const nextFetch = () => Math.round(keys.status().nextFetchSeconds);

it('[B64] the next refresh is due from the start of the last one, however long that takes', async () => {
  await begin();
  const waiting: (() => void)[] = [];
  provider.answer = (_request, response) =>
    waiting.push(() => response.end(JSON.stringify(provider.document)));
  clock.advance(600_000);
  const refreshes = () => waiting.length;
  await until(refreshes, (count) => count === 1, 'no refresh begins');
  clock.advance(86_400_000);
  provider.answer = null;
  waiting[0]?.();
  await tried(3);
});

it('[B78] an unknown kid causes one fetch per cool-down, and one when it ends', async () => {
  await begin();
  assert.equal(await find('invented 1'), undefined);
  assert.equal(provider.fetches, 2);
  for (let count = 2; count < 50; count += 1) await find(`invented ${count}`);
  assert.equal(provider.fetches, 2);
  const rotated = await makeKey();
  provider.keys.push(rotated);
  assert.equal(await find(rotated.kid), undefined);
  clock.advance(30_000);
  await tried(3);
  assert.ok(await find(rotated.kid), 'a flood of invented names does not hide a rotation');
});

it('[B78] a token that would be refused anyway causes no fetch', async () => {
  await begin();
  assert.equal(await keys.find('invented', 'RS256', () => false), undefined);
  assert.equal(provider.fetches, 1);
  await find('invented');
  assert.equal(provider.fetches, 2);
});

it('[B78] a kid that was not found is not looked up again for five minutes', async () => {
  await begin();
  await find('invented');
  clock.advance(31_000);
  await find('invented');
  assert.equal(provider.fetches, 2);
  await find('another');
  assert.equal(provider.fetches, 3);
  clock.advance(290_000);
  await find('invented');
  assert.equal(provider.fetches, 4);
});

it('[B81] a kid that was not found is looked up again once the key set changes', async () => {
  await begin();
  const rotated = await makeKey();
  await find(rotated.kid);
  clock.advance(31_000);
  provider.keys.push(await makeKey());
  await find('another');
  assert.equal(provider.fetches, 3);
  provider.keys.push(rotated);
  assert.equal(await find(rotated.kid), undefined, 'the cool-down is not over');
  clock.advance(30_000);
  await tried(4);
  assert.ok(await find(rotated.kid));
});

/** How long each of so many failed fetches waits for the next one. */
async function delaysOf(count: number): Promise<number[]> {
  const delays: number[] = [];
  while (delays.length < count) {
    clock.advance(keys.status().nextFetchSeconds * 1000 + 1);
    await tried(tries + 1);
    delays.push(nextFetch());
  }
  return delays;
}

it('[B79] retries back off up to a minute, with jitter, while old keys are usable', async () => {
  await begin();
  provider.answer = answerWith(500);
  assert.deepEqual(await delaysOf(9), [1, 2, 4, 8, 16, 32, 60, 60, 60]);
  luck = 0.999;
  assert.deepEqual(await delaysOf(1), [75]);
});

it('[B60] without any keys retries back off to four seconds only', async () => {
  provider.answer = answerWith(500);
  await begin();
  assert.equal(nextFetch(), 1);
  assert.deepEqual(await delaysOf(4), [2, 4, 4, 4]);
});

it('[B63] keys older than the maximum age are not used', async () => {
  await begin();
  provider.answer = answerWith(500);
  clock.advance((maxStaleSeconds - 10) * 1000);
  assert.ok(await find(provider.key.kid));
  assert.equal(keys.generation, 1);
  clock.advance(20_000);
  assert.equal(keys.generation, null);
  await assert.rejects(find(provider.key.kid), (error) => (error as Refusal).code === 'keys_unavailable');
});

it('the stored key set of an earlier process is used at once, with its age', async () => {
  provider.answer = answerWith(500);
  stored = {
    document: provider.document,
    fetchedAt: clock.now() - (maxStaleSeconds - 600) * 1000,
    refreshAt: 0,
  };
  await begin();
  assert.ok(await find(provider.key.kid));
  assert.equal(Math.round(Number(keys.status().ageSeconds)), maxStaleSeconds - 600);
  clock.advance(700_000);
  await assert.rejects(find(provider.key.kid), Refusal);
});

it('nothing is fetched after stop', async () => {
  await begin();
  keys.stop();
  clock.advance(700_000);
  assert.equal(provider.fetches, 1);
});

async function faultOf(answer: Answer, from = provider): Promise<FetchFault | null> {
  from.answer = answer;
  try {
    await fetchDocument(`${from.origin}/jwks`, new AbortController().signal);
    return null;
  } catch (error) {
    assert.ok(error instanceof FetchError, String(error));
    return error.fault;
  }
}

it('a key set is fetched, also as text/plain', async () => {
  const keySet = JSON.stringify(provider.document);
  assert.equal(await faultOf(answerText(keySet)), null);
  assert.equal(await faultOf(answerText(keySet, 'text/plain')), null, 'some providers know no better type');
});

it('[B65] one timeout covers the headers and the body', async () => {
  await using slow = new AsyncDisposableStack();
  const faults = [silence, slowHead, slowBody].map(async (answer) => {
    const from = await TestProvider.start();
    slow.defer(() => from.stop());
    return faultOf(answer, from);
  });
  assert.deepEqual(await Promise.all(faults), ['timeout', 'timeout', 'timeout']);
});
