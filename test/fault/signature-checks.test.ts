import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SignatureQueue } from '../../src/auth/signature-queue.ts';
import { ConcurrencyLimit } from '../../src/base/concurrency-limit.ts';
import { Refusal } from '../../src/base/errors.ts';

/** Work that ends when the test says so, and how much of it has begun. */
function worker() {
  const running: (() => void)[] = [];
  return { running, work: () => new Promise<void>((resolve) => running.push(resolve)) };
}
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const from = (address: string, isSuspect = false) => ({ address, isSuspect: () => isSuspect });
const trusted = from('192.0.2.9');
const isOverloaded = (error: unknown) => error instanceof Refusal && error.code === 'overloaded';

it('[G174] no more checks run at once than the limit; the others follow in order', async () => {
  const limit = new ConcurrencyLimit({ running: 2, waiting: 10, refusal: 'overloaded' });
  const { running, work } = worker();
  const all = Array.from({ length: 5 }, () => limit.run(work));
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

it('[G174] a failed check frees its place', async () => {
  const limit = new ConcurrencyLimit({ running: 1, waiting: 0, refusal: 'overloaded' });
  for (let count = 0; count < 3; count += 1)
    await assert.rejects(
      limit.run(() => Promise.reject(new Error('no'))),
      /no/,
    );
  assert.equal(await limit.run(async () => 'done'), 'done');
});

it('[G174] a check is refused at once when the queue is full', async () => {
  const limit = new ConcurrencyLimit({ running: 1, waiting: 2, refusal: 'overloaded' });
  const { running, work } = worker();
  const taken = [1, 2, 3].map(() => limit.run(work));
  await assert.rejects(limit.run(work), isOverloaded);
  for (let index = 0; index < 3; index += 1) {
    await settled();
    running[index]?.();
  }
  await Promise.all(taken);
  assert.equal(running.length, 3);
});

it('[G174] after a few of many waiting signatures the event loop gets a turn', async () => {
  const queue = new SignatureQueue();
  let checked = 0;
  const all = Array.from({ length: 100 }, () =>
    queue.run(() => {
      checked += 1;
      return true;
    }, trusted),
  );
  assert.equal(checked, 0, 'what else has come in is read first');
  let before = 0;
  while (checked < 100) {
    await settled();
    assert.ok(checked - before <= 8, `${checked - before} checks in one turn`);
    before = checked;
  }
  assert.deepEqual(new Set(await Promise.all(all)), new Set([true]));
});

it('[G174] each check gets its own result', async () => {
  const queue = new SignatureQueue();
  const results = await Promise.all(
    Array.from({ length: 40 }, (_, index) => queue.run(() => index % 3 === 0, trusted)),
  );
  const expected = Array.from({ length: 40 }, (_, index) => index % 3 === 0);
  assert.deepEqual(results, expected);
});

it('[G174] signatures past the memory limit are refused, and accepted later', async () => {
  const queue = new SignatureQueue();
  const all = Array.from({ length: 10_000 }, (_, index) => queue.run(() => true, from(`address ${index}`)));
  assert.throws(() => queue.run(() => true, trusted), isOverloaded);
  await Promise.all(all);
  assert.equal(await queue.run(() => true, trusted), true);
});

it('[G174] only a few suspects are checked per turn, after all other callers', async () => {
  const queue = new SignatureQueue();
  const order: string[] = [];
  const check = (name: string, isSuspect: boolean) =>
    queue.run(() => order.push(name) > 0, from(name, isSuspect));
  const flood = Array.from({ length: 40 }, () => check('flood', true));
  const others = Array.from({ length: 4 }, () => check('other', false));
  let before = 0;
  while (order.length < 44) {
    await settled();
    const inTurn = order.slice(before);
    assert.ok(inTurn.filter((name) => name === 'flood').length <= 2, `${inTurn}`);
    before = order.length;
  }
  const last = order.lastIndexOf('other');
  assert.ok(last < 8, `the last of the others was number ${last}`);
  await Promise.all([...flood, ...others]);
});

for (const isSuspect of [true, false]) {
  it(`[G174] a flood from one address delays no other (suspect: ${isSuspect})`, async () => {
    const queue = new SignatureQueue();
    const order: string[] = [];
    const check = (name: string) => queue.run(() => order.push(name) > 0, from(name, isSuspect));
    const all = [...Array.from({ length: 500 }, () => check('flood')), check('other'), check('other')];
    await Promise.all(all);
    const last = order.lastIndexOf('other');
    assert.ok(last < 5, `the other was number ${last} of ${all.length}`);
  });

  it(`[G174] the queue of one address is limited; others still find room (suspect: ${isSuspect})`, async () => {
    const queue = new SignatureQueue();
    const flood = Array.from({ length: 2_000 }, () => queue.run(() => true, from('flood', isSuspect)));
    assert.throws(() => queue.run(() => true, from('flood', isSuspect)), isOverloaded);
    const others = [queue.run(() => true, from('other', isSuspect)), queue.run(() => true, trusted)];
    assert.deepEqual(await Promise.all(others), [true, true]);
    await Promise.all(flood);
    assert.equal(await queue.run(() => true, from('flood', isSuspect)), true);
  });
}

it('[G174] suspicion is evaluated at the turn of a check, so a burst of one address is slowed down', async () => {
  const queue = new SignatureQueue();
  let refused = 0;
  const check = () => {
    refused += 1;
    return false;
  };
  const origin = { address: 'flood', isSuspect: () => refused >= 5 };
  const all = Array.from({ length: 64 }, () => queue.run(check, origin));
  await settled();
  assert.equal(refused, 8);
  await settled();
  assert.equal(refused, 10, 'the crowd is known by then');
  await Promise.all(all);
});
