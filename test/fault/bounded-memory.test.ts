import assert from 'node:assert/strict';
import { it } from 'node:test';
import { UnknownKids } from '../../src/auth/unknown-kids.ts';
import { Refusal } from '../../src/base/errors.ts';
import { RefusalLimit } from '../../src/http/refusal-limit.ts';
import { MovableClock } from '../support/movable-clock.ts';

const refusal = new Refusal('token_malformed');

it('[B78] of the names of unknown keys the last thousand are remembered', () => {
  const names = new UnknownKids(new MovableClock());
  for (let count = 0; count < 1_500; count += 1) names.add(`invented ${count}`);
  assert.equal(names.has('invented 1499'), true);
  assert.equal(names.has('invented 500'), true);
  assert.equal(names.has('invented 499'), false);
});

it('[C102] ten thousand addresses are watched, and the one refused longest ago is forgotten first', () => {
  const limit = new RefusalLimit(1, new MovableClock());
  for (let count = 0; count <= 10_000; count += 1) limit.count(`address ${count}`, refusal);
  assert.equal(limit.isReached('address 10000'), true);
  assert.equal(limit.isReached('address 1'), true);
  assert.equal(limit.isReached('address 0'), false);
});

it('[C100] past the limit an address is suspicious and its refusals are too many, until the minute ends', () => {
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
});
