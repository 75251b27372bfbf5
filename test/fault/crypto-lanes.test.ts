import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readKeySet } from '../../src/auth/key-set.ts';
import { Lanes } from '../../src/auth/lanes.ts';
import { createVerifier } from '../../src/auth/verifier.ts';
import { systemClock } from '../../src/base/clock.ts';
import { Refusal } from '../../src/base/errors.ts';
import { compact, rs256 } from '../support/forged-token.ts';
import { makeKey } from '../support/provider.ts';

/** Work that ends when the test says so, and how much of it has begun. */
function worker() {
  const running: (() => void)[] = [];
  return {
    running,
    work: () => new Promise<void>((resolve) => running.push(resolve)),
  };
}
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const isOverloaded = (error: unknown) => error instanceof Refusal && error.code === 'overloaded';

it('[G174] no more checks run at once than the lane has places, and those in line follow in turn', async () => {
  const lanes = new Lanes({ running: 2, waiting: 10 }, { running: 1, waiting: 1 });
  const { running, work } = worker();
  const all = Array.from({ length: 5 }, () => lanes.run(false, work));
  await settled();
  assert.equal(running.length, 2);
  for (const begun of [3, 4, 5, 5, 5]) {
    running[begun - 3]?.();
    await settled();
    assert.equal(running.length, begun);
  }
  for (const finish of running) finish();
  await Promise.all(all);
});

it('[G174] a place is free again when a check fails', async () => {
  const lanes = new Lanes({ running: 1, waiting: 0 }, { running: 1, waiting: 0 });
  for (let count = 0; count < 3; count += 1)
    await assert.rejects(
      lanes.run(false, () => Promise.reject(new Error('no'))),
      /no/,
    );
  assert.equal(await lanes.run(false, async () => 'done'), 'done');
});

it('[G174] past the end of the line a check is refused at once', async () => {
  const lanes = new Lanes({ running: 1, waiting: 2 }, { running: 1, waiting: 1 });
  const { running, work } = worker();
  const taken = [1, 2, 3].map(() => lanes.run(false, work));
  await assert.rejects(lanes.run(false, work), isOverloaded);
  for (let index = 0; index < 3; index += 1) {
    await settled();
    running[index]?.();
  }
  await Promise.all(taken);
  assert.equal(running.length, 3);
});

it('[G174] whoever is suspicious waits in a line of its own', async () => {
  const lanes = new Lanes({ running: 1, waiting: 0 }, { running: 1, waiting: 0 });
  const { running, work } = worker();
  const suspicious = lanes.run(true, work);
  await assert.rejects(lanes.run(true, work), isOverloaded);
  assert.equal(await lanes.run(false, async () => 'served'), 'served');
  running[0]?.();
  await suspicious;
});

it('[G174] signatures are checked in the lane of the caller, and garbage never gets that far', async () => {
  const key = await makeKey();
  const set = await readKeySet({ keys: [key.jwk] }, ['RS256']);
  const issuer = {
    keys: { find: async () => set?.find(key.kid, 'RS256'), generation: () => 1 },
    algorithms: new Set(['RS256']),
    requireAtJwt: false,
    claims: { issuers: ['i'], audience: 'a', requiredScopes: [], clientsOnly: false },
  };
  const lanes = new Lanes({ running: 1, waiting: 0 }, { running: 1, waiting: 0 });
  const verify = createVerifier([issuer], lanes, systemClock);
  const token = compact({ alg: 'RS256' }, { iss: 'i', aud: 'a', exp: 9e9 }, rs256(key.privateKey));
  const all = await Promise.allSettled([
    ...[false, false, true, true].map((suspicious) => verify(token, suspicious)),
    verify('garbage', false),
  ]);
  const ends = all.map((end) => (end.status === 'rejected' ? end.reason.code : 'verified'));
  assert.deepEqual(ends, ['verified', 'overloaded', 'verified', 'overloaded', 'token_malformed']);
});
