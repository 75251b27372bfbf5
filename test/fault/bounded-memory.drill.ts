import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { it } from 'node:test';
import { ProofKeys } from '../../src/auth/dpop/proof-keys.ts';
import { Refusal } from '../../src/base/errors.ts';
import { RecentMap } from '../../src/base/recent-map.ts';
import { RefusalLimit } from '../../src/http/refusal-limit.ts';
import { Throttle } from '../../src/tokens/throttle.ts';
import { MovableClock } from '../support/services/movable-clock.ts';
// Needs a process of its own: what other files have left in the heap would be counted.
import { newDpopKey } from '../support/tokens/dpop.ts';
import { base64url } from '../support/tokens/forged-token.ts';
import { heldBytes } from './heap.ts';

const refusal = new Refusal('token_malformed');

it('[B78] the map of unknown keys evicts its oldest entries first', () => {
  const names = new RecentMap<string, true>(1_000);
  for (let count = 0; count < 1_500; count += 1) names.set(`invented ${count}`, true);
  assert.equal(names.get('invented 1499'), true);
  assert.equal(names.get('invented 500'), true);
  assert.equal(names.get('invented 499'), undefined);
});

it('[C102] a proof key is cached for an ordinary header, not for an enlarged one', () => {
  const keys = new ProofKeys();
  const largest = newDpopKey('RS256', () => generateKeyPairSync('rsa', { modulusLength: 4096 }));
  const remembers = (jwk: object) => {
    const header = base64url({ typ: 'dpop+jwt', alg: largest.algorithm, jwk: { ...largest.jwk, ...jwk } });
    keys.remember(header, keys.read(header, null));
    return keys.recall(header)?.thumbprint === largest.thumbprint;
  };
  assert.equal(remembers({}), true);
  assert.equal(remembers({ kid: 'x'.repeat(500) }), true);
  assert.equal(remembers({ more: 'x'.repeat(2_000) }), false);
});

it('[C102] at least ten thousand addresses are counted; the one refused longest ago is evicted first', () => {
  const limit = new RefusalLimit(1, new MovableClock());
  for (let count = 0; count <= 30_000; count += 1) limit.count(`address ${count}`, refusal);
  assert.equal(limit.isReached('address 30000'), true);
  assert.equal(limit.isReached('address 20001'), true);
  assert.equal(limit.isReached('address 0'), false);
});

it('[C102] client ids longer than any valid one count as one id', () => {
  const throttle = new Throttle(1, new MovableClock());
  assert.equal(throttle.fail('x'.repeat(64), 'address 1'), 0);
  assert.equal(throttle.fail('y'.repeat(64), 'address 2'), 0);
  assert.equal(throttle.fail('x'.repeat(65), 'address 3'), 0);
  assert.ok(throttle.fail('y'.repeat(10_000), 'address 4') > 0);
});

it('[C102] at least ten thousand client ids are counted; the one that failed longest ago is evicted first', () => {
  const throttle = new Throttle(1, new MovableClock());
  for (let count = 0; count <= 30_000; count += 1) throttle.fail(`client ${count}`, `address ${count}`);
  assert.ok(throttle.fail('client 30000', 'elsewhere') > 0);
  assert.equal(throttle.fail('client 0', 'address 0'), 0);
});

it('[C102] ids that fail every minute take no more memory after hours than after the first minute', () => {
  const clock = new MovableClock();
  const throttle = new Throttle(1, clock);
  const names = Array.from({ length: 9_999 }, (_, count) => `client ${count}`);
  const pass = (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      for (const name of names) throttle.fail(name, name);
      clock.advance(60_000);
    }
  };
  pass(5);
  const before = heldBytes();
  pass(120);
  const grownMegabytes = (heldBytes() - before) / 1e6;
  assert.ok(grownMegabytes < 10, `${grownMegabytes.toFixed(1)} MB more after two hours`);
});

it('[C100] past the limit an address is suspect and its refusals are 429 until the minute ends', () => {
  const clock = new MovableClock();
  const limit = new RefusalLimit(2, clock);
  const code = (address: string) => limit.count(address, refusal).code;
  assert.equal(limit.isReached('here'), false);
  assert.deepEqual([code('here'), code('here')], ['token_malformed', 'token_malformed']);
  assert.equal(limit.isReached('here'), true);
  assert.equal(code('here'), 'too_many_refusals');
  assert.equal(limit.isReached('there'), false);
  assert.equal(code('there'), 'token_malformed');
  clock.advance(60_000);
  assert.equal(limit.isReached('here'), false);
  assert.equal(code('here'), 'token_malformed');
  clock.advance(3_600_000);
  assert.equal(code('here'), 'token_malformed');
});
