import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SignatureQueue } from '../../src/auth/signature-queue.ts';
import { Refusal } from '../../src/base/errors.ts';
import { Lane } from '../../src/base/lane.ts';

/** Work that ends when the test says so, and how much of it has begun. */
function worker() {
  const running: (() => void)[] = [];
  return {
    running,
    work: () => new Promise<void>((resolve) => running.push(resolve)),
  };
}
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const trusted = () => null;
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
    assert.ok(checked - before <= 16, `${checked - before} checks in one turn`);
    before = checked;
  }
  assert.deepEqual(new Set(await Promise.all(all)), new Set([true]));
});

it('[G174] each gets the result of its own check', async () => {
  const queue = new SignatureQueue();
  const results = await Promise.all(
    Array.from({ length: 40 }, (_, index) => queue.run(() => index % 3 === 0, trusted)),
  );
  assert.deepEqual(
    results,
    Array.from({ length: 40 }, (_, index) => index % 3 === 0),
  );
});

it('[G174] more signatures than memory should hold are refused, and there is room again later', async () => {
  const queue = new SignatureQueue();
  const all = Array.from({ length: 10_000 }, () => queue.run(() => true, trusted));
  assert.throws(() => queue.run(() => true, trusted), isOverloaded);
  await Promise.all(all);
  assert.equal(await queue.run(() => true, trusted), true);
});

it('[G174] of suspects a few are checked in a turn, and everybody else goes before them', async () => {
  const queue = new SignatureQueue();
  const order: string[] = [];
  const check = (name: string, address: string | null) =>
    queue.run(
      () => {
        order.push(name);
        return true;
      },
      () => address,
    );
  const flood = Array.from({ length: 40 }, () => check('flood', '192.0.2.1'));
  const others = Array.from({ length: 4 }, () => check('other', null));
  let before = 0;
  while (order.length < 44) {
    await settled();
    const inTurn = order.slice(before);
    assert.ok(inTurn.filter((name) => name === 'flood').length <= 4, `${inTurn}`);
    before = order.length;
  }
  assert.ok(
    order.lastIndexOf('other') < 16,
    `the last of the others was number ${order.lastIndexOf('other')}`,
  );
  await Promise.all([...flood, ...others]);
});

it('[G174] suspect addresses take turns: a flood from one does not keep the other waiting', async () => {
  const queue = new SignatureQueue();
  const order: string[] = [];
  const from = (address: string) =>
    queue.run(
      () => order.push(address) > 0,
      () => address,
    );
  const all = [...Array.from({ length: 500 }, () => from('flood')), from('other'), from('other')];
  await Promise.all(all);
  // The queue is read sixteen at a time: by then so many of the flood have had their turn.
  assert.ok(
    order.lastIndexOf('other') < 150,
    `the other was number ${order.lastIndexOf('other')} of ${all.length}`,
  );
});

it('[G174] so many of one suspect address wait and no more, and all others still find room', async () => {
  const queue = new SignatureQueue();
  const from = (address: string | null) =>
    queue.run(
      () => true,
      () => address,
    );
  const flood = await Promise.allSettled(Array.from({ length: 3_000 }, () => from('flood')));
  const refused = flood.filter((end) => end.status === 'rejected');
  assert.ok(refused.length > 0 && refused.every(({ reason }) => isOverloaded(reason)));
  assert.ok(flood.length - refused.length >= 1_000);
  assert.deepEqual(await Promise.all([from('other'), from(null)]), [true, true]);
});

it('[G174] whether a caller is suspect is asked when it is its turn, so that a crowd that came at once is seen', async () => {
  const queue = new SignatureQueue();
  let refused = 0;
  const turns: number[] = [];
  const all = Array.from({ length: 64 }, () =>
    queue.run(
      () => {
        turns.push(refused);
        refused += 1;
        return false;
      },
      () => (refused >= 10 ? 'flood' : null),
    ),
  );
  await settled();
  assert.equal(turns.length, 16);
  await settled();
  assert.ok(turns.length <= 20, `${turns.length} were checked although the crowd was known by then`);
  await Promise.all(all);
});
