import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Batches } from '../../src/auth/batches.ts';
import { createVerifier } from '../../src/auth/verifier.ts';
import { systemClock } from '../../src/base/clock.ts';
import { Refusal } from '../../src/base/errors.ts';
import { Lane } from '../../src/base/lane.ts';
import { compact, rs256 } from '../support/forged-token.ts';
import { usableKeys } from '../support/key-set.ts';
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
  const lane = new Lane({ running: 2, waiting: 10, refusal: 'overloaded' });
  const { running, work } = worker();
  const all = Array.from({ length: 5 }, () => lane.run(work));
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
  const lane = new Lane({ running: 1, waiting: 0, refusal: 'overloaded' });
  for (let count = 0; count < 3; count += 1)
    await assert.rejects(
      lane.run(() => Promise.reject(new Error('no'))),
      /no/,
    );
  assert.equal(await lane.run(async () => 'done'), 'done');
});

it('[G174] past the end of the line a check is refused at once', async () => {
  const lane = new Lane({ running: 1, waiting: 2, refusal: 'overloaded' });
  const { running, work } = worker();
  const taken = [1, 2, 3].map(() => lane.run(work));
  await assert.rejects(lane.run(work), isOverloaded);
  for (let index = 0; index < 3; index += 1) {
    await settled();
    running[index]?.();
  }
  await Promise.all(taken);
  assert.equal(running.length, 3);
});

it('[G174] however many signatures wait, others get a turn of the event loop after a few', async () => {
  const batches = new Batches();
  let checked = 0;
  const all = Array.from({ length: 100 }, () =>
    batches.run(() => {
      checked += 1;
      return true;
    }),
  );
  assert.equal(checked, 0, 'what else has come in is read first');
  let before = 0;
  while (checked < 100) {
    await settled();
    assert.ok(checked - before <= 16, `${checked - before} checks in one turn`);
    before = checked;
  }
  assert.deepEqual(new Set(await Promise.all(all)), new Set([true]));
});

it('[G174] each gets the result of its own check', async () => {
  const batches = new Batches();
  const results = await Promise.all(
    Array.from({ length: 40 }, (_, index) => batches.run(() => index % 3 === 0)),
  );
  assert.deepEqual(
    results,
    Array.from({ length: 40 }, (_, index) => index % 3 === 0),
  );
});

it('[G174] more signatures than memory should hold are refused, and there is room again later', async () => {
  const batches = new Batches();
  const all = Array.from({ length: 10_000 }, () => batches.run(() => true));
  assert.throws(() => batches.run(() => true), isOverloaded);
  await Promise.all(all);
  assert.equal(await batches.run(() => true), true);
});

it('[G174] the suspicious wait in their own lane, everybody else does not, and garbage never gets that far', async () => {
  const key = await makeKey();
  const set = usableKeys({ keys: [key.jwk] });
  const issuer = {
    keys: { find: async () => set.find(key.kid, 'RS256'), generation: () => 1 },
    algorithms: new Set(['RS256']),
    requireAtJwt: false,
    claims: {
      issuers: ['i'],
      audience: 'a',
      requiredScopes: [],
      maxLifetimeSeconds: null,
      clientsOnly: false,
    },
  };
  const verify = createVerifier(
    [issuer],
    new Lane({ running: 1, waiting: 0, refusal: 'overloaded' }),
    systemClock,
  );
  const token = compact({ alg: 'RS256' }, { iss: 'i', aud: 'a', exp: 9e9 }, rs256(key.privateKey));
  const all = await Promise.allSettled([
    ...[false, false, true, true].map((suspicious) => verify(token, () => suspicious)),
    verify('garbage', () => true),
  ]);
  const ends = all.map((end) => (end.status === 'rejected' ? end.reason.code : 'verified'));
  assert.deepEqual(ends, ['verified', 'verified', 'verified', 'overloaded', 'token_malformed']);
});

it('[G174] whether a caller is suspicious is asked when it is its turn, so that a crowd that came at once is stopped', async () => {
  const key = await makeKey();
  const set = usableKeys({ keys: [key.jwk] });
  const issuer = {
    keys: { find: () => set.find(key.kid, 'RS256'), generation: () => 1 },
    algorithms: new Set(['RS256']),
    requireAtJwt: false,
    claims: {
      issuers: ['i'],
      audience: 'a',
      requiredScopes: [],
      maxLifetimeSeconds: null,
      clientsOnly: false,
    },
  };
  const verify = createVerifier(
    [issuer],
    new Lane({ running: 1, waiting: 0, refusal: 'overloaded' }),
    systemClock,
  );
  const forged = compact(
    { alg: 'RS256' },
    { iss: 'i', aud: 'a', exp: 9e9 },
    rs256((await makeKey()).privateKey),
  );
  let refused = 0;
  const tries = Array.from({ length: 100 }, () =>
    verify(forged, () => refused >= 10).catch((error: Refusal) => {
      refused += 1;
      return error.code;
    }),
  );
  const codes = await Promise.all(tries);
  const checked = codes.filter((code) => code === 'signature_invalid').length;
  assert.ok(checked < 50, `${checked} of 100 signatures were checked`);
  assert.ok(codes.includes('overloaded'));
});
