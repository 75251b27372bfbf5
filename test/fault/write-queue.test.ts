import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { longestBurstMs, standingWaitMs } from '../../src/base/concurrency-limit.ts';
import { Refusal } from '../../src/base/errors.ts';
import { maxInBatch, type Operation } from '../../src/records/rules/operation.ts';
import {
  longestWaitMs,
  maxBatchBytes,
  maxBatchBytesOfCaller,
  maxWaiting,
  maxWaitingBytes,
  maxWaitingOfCaller,
  WriteQueue,
} from '../../src/records/write-queue.ts';
import type { BatchStore, Outcome } from '../../src/storage/port.ts';
import { until } from '../support/run/polling.ts';

const nameOf = ({ caller, now }: Operation) => `${caller.id}${now}`;
const done = (operation: Operation): Outcome => ({ done: nameOf(operation) });

/** A store whose batches end when the test says so. */
class HeldStore implements BatchStore {
  /** The content of each batch so far. */
  readonly batches: string[][] = [];
  readonly #held: ((end: (operations: readonly Operation[]) => readonly Outcome[]) => void)[] = [];

  run(operations: readonly unknown[]): Promise<readonly Outcome[]> {
    const all = operations as readonly Operation[];
    this.batches.push(all.map(nameOf));
    return new Promise((resolve) => {
      this.#held.push((end) => resolve(new Promise((settle) => settle(end(all)))));
    });
  }

  /** The batch that was begun first is over, and the next one has begun. */
  async end(outcomeOf: (operation: Operation) => Outcome = done): Promise<void> {
    const end = this.#held.shift();
    assert.ok(end !== undefined, 'no batch was begun');
    end((operations) => operations.map(outcomeOf));
    await turn();
  }

  async fail(error: unknown): Promise<void> {
    await this.end(() => {
      throw error;
    });
  }
}

/** A clock that only the test advances. */
class StillClock {
  #ms = 0;
  readonly monotonic = () => this.#ms;

  advance(milliseconds: number): void {
    this.#ms += milliseconds;
  }
}

/** One turn of the event loop: everything that is ready has run. */
async function turn(): Promise<void> {
  for (let times = 0; times < 4; times += 1) await new Promise((resolve) => setImmediate(resolve));
}

function startQueue() {
  const [store, clock] = [new HeldStore(), new StillClock()];
  const queue = new WriteQueue({ store, clock });
  /** A caller's write with a number. */
  const submit = async (id: string, now = 0, bytes = 0, isGone = () => false): Promise<unknown> => {
    const caller = { id, kind: 'user', isMachine: false } as const;
    return queue.submit({ caller, now, proof: null, change: { kind: 'register' } }, bytes, isGone);
  };
  /** A caller's batch of so many parts. */
  const submitBatch = async (id: string, now: number, count: number): Promise<unknown> => {
    const caller = { id, kind: 'user', isMachine: false } as const;
    const of = { collection: 'notes', id: 'x', revision: '' } as const;
    const parts = Array(count).fill({ caller, change: { ...of, kind: 'remove', expected: null } });
    const change = { kind: 'batch', parts, key: null, isCut: false } as const;
    return queue.submit({ caller, now, proof: null, change }, 0, () => false);
  };
  const submitMany = (id: string, count: number) =>
    Array.from({ length: count }, (_, index) => submit(id, index));
  /** A queue whose first batch has begun, so that later writes wait. */
  const busy = async () => {
    const first = submit('first');
    await turn();
    return [first];
  };
  return { store, clock, queue, submit, submitBatch, submitMany, busy };
}

const isOverloaded = (says: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Refusal, String(error));
  assert.equal(error.code, 'overloaded');
  assert.match(String(error.options.detail), says);
  assert.equal(error.options.retryAfterSeconds, 1);
  return true;
};

const namesOf = (id: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `${id}${from + index}`);

describe('waiting writes', () => {
  it('form one batch while the one before commits, and each gets its own result', async () => {
    const { store, queue, submit, busy } = startQueue();
    const [first] = await busy();
    const later = [submit('a', 1), submit('b', 2), submit('c', 3)];
    await turn();
    assert.deepEqual([store.batches, queue.length], [[['first0']], 3]);
    await store.end();
    assert.equal(await first, 'first0');
    assert.deepEqual([store.batches[1], queue.length], [['a1', 'b2', 'c3'], 0]);
    const refusal = new Refusal('not_found');
    await Promise.all([
      store.end((one) => (nameOf(one) === 'b2' ? { error: refusal } : done(one))),
      assert.rejects(later[1] as Promise<unknown>, refusal),
    ]);
    assert.deepEqual([await later[0], await later[2]], ['a1', 'c3']);
  });

  it('of the same turn of the event loop form one batch', async () => {
    const { store, submitMany } = startQueue();
    const all = submitMany('a', 10);
    await turn();
    assert.deepEqual(store.batches, [namesOf('a', 0, 10)]);
    await store.end();
    assert.deepEqual(await Promise.all(all), namesOf('a', 0, 10));
  });

  it('start again after the queue was empty', async () => {
    const { store, submit } = startQueue();
    for (const now of [1, 2]) {
      const one = submit('a', now);
      await turn();
      await store.end();
      assert.equal(await one, `a${now}`);
    }
  });

  it('are limited per batch in number and bytes', async () => {
    const { store, submit, submitMany, busy } = startQueue();
    const waiting: Promise<unknown>[] = await busy();
    waiting.push(...submitMany('a', 200), ...submitMany('b', 200));
    await store.end();
    assert.equal(store.batches[1]?.length, maxInBatch);
    await store.end();
    assert.equal(store.batches[2]?.length, 400 - maxInBatch);
    waiting.push(...['c', 'd', 'e'].map((id) => submit(id, 1, maxBatchBytes / 2)));
    await store.end();
    assert.deepEqual(store.batches[3], ['c1', 'd1']);
    await store.end();
    assert.deepEqual(store.batches[4], ['e1']);
    await store.end();
    await Promise.all(waiting);
  });

  it('take a bounded number of bytes of one caller, and more of others', async () => {
    const { store, submit, busy } = startQueue();
    const waiting: Promise<unknown>[] = await busy();
    waiting.push(...[1, 2, 3].map((now) => submit('a', now, maxBatchBytesOfCaller / 2)));
    waiting.push(submit('b', 1, 1), submit('b', 2, 1));
    await store.end();
    assert.deepEqual(store.batches[1], ['a1', 'b1', 'a2', 'b2']);
    await store.end();
    assert.deepEqual(store.batches[2], ['a3']);
    await store.end();
    await Promise.all(waiting);
  });

  it("of a caller's batch count by their parts, in a transaction and in the queue", async () => {
    const { store, queue, submit, submitBatch, busy } = startQueue();
    const waiting: Promise<unknown>[] = await busy();
    for (let now = 0; now < 4; now += 1) waiting.push(submitBatch('a', now, 50), submitBatch('b', now, 50));
    assert.equal(queue.length, 400);
    await assert.rejects(submit('a', 9), isOverloaded(/writes wait/));
    await assert.rejects(submitBatch('b', 9, 1), isOverloaded(/writes wait/));
    waiting.push(submitBatch('c', 0, 50));
    await store.end();
    assert.deepEqual(store.batches[1], ['a0', 'b0', 'c0', 'a1', 'b1', 'a2'], 'until there are 256 or more');
    assert.equal(queue.length, 150);
    await store.end();
    await store.end();
    await Promise.all(waiting);
  });

  it('of one caller do not delay other callers', async () => {
    const { store, submit, submitMany, busy } = startQueue();
    const waiting: Promise<unknown>[] = await busy();
    for (const id of ['a', 'b', 'c']) waiting.push(...submitMany(id, maxWaitingOfCaller));
    waiting.push(submit('late', 0));
    await store.end();
    assert.deepEqual(store.batches[1]?.slice(0, 5), ['a0', 'b0', 'c0', 'late0', 'a1']);
    const own = (store.batches[1] ?? []).filter((name) => name.startsWith('a'));
    assert.deepEqual(own, namesOf('a', 0, own.length), 'each in the order in which it came');
    while (store.batches.flat().length < waiting.length) await store.end();
    await store.end();
    await Promise.all(waiting);
    assert.equal(new Set(store.batches.flat()).size, waiting.length);
  });
});

describe('writes without room in the queue', () => {
  it('are "overloaded" when too many wait, and are not done', async () => {
    const { store, queue, submit, busy } = startQueue();
    const waiting: Promise<unknown>[] = await busy();
    for (let index = 0; index < maxWaiting; index += 1) waiting.push(submit(`caller ${index} `));
    await assert.rejects(submit('refused'), isOverloaded(/writes wait/));
    assert.equal(queue.length, maxWaiting);
    while (queue.length > 0) await store.end();
    await store.end();
    await Promise.all(waiting);
    assert.equal(store.batches.flat().includes('refused0'), false);
    const again = submit('refused', 1);
    await turn();
    await store.end();
    assert.equal(await again, 'refused1');
  });

  it('are "overloaded" when too many of one caller wait, for that caller only', async () => {
    const { store, submit, submitMany, busy } = startQueue();
    const waiting: Promise<unknown>[] = await busy();
    waiting.push(...submitMany('many', maxWaitingOfCaller));
    await assert.rejects(submit('many', 9_999), isOverloaded(/writes wait/));
    waiting.push(submit('other'));
    await store.end();
    await store.end();
    await Promise.all(waiting);
  });

  it('are "overloaded" when they would hold too many bytes', async () => {
    const { store, submit, busy } = startQueue();
    const waiting: Promise<unknown>[] = await busy();
    waiting.push(...['a', 'b', 'c', 'd'].map((id) => submit(id, 0, maxWaitingBytes / 4)));
    await assert.rejects(submit('e', 0, 1), isOverloaded(/writes wait/));
    waiting.push(submit('without a body', 0, 0));
    await store.end();
    waiting.push(submit('f', 0, maxWaitingBytes / 4));
    while (store.batches.flat().length < waiting.length) await store.end();
    await store.end();
    await Promise.all(waiting);
  });

  it('are "overloaded" sooner when the queue stays long: it holds half a second of work', async () => {
    const { store, clock, queue, submit, busy } = startQueue();
    const ends: Promise<unknown>[] = await busy();
    let made = 0;
    const fill = async () => {
      for (;;) {
        const before = queue.length;
        const one = submit(`caller ${made++} `);
        ends.push(one.catch(() => 'refused'));
        await Promise.resolve();
        if (queue.length === before) return queue.length;
      }
    };
    assert.equal(await fill(), maxWaiting, 'a burst');
    const batchMs = 100;
    for (let ms = 0; ms <= longestBurstMs; ms += batchMs) {
      await fill();
      clock.advance(batchMs);
      await store.end();
    }
    const perMs = maxInBatch / batchMs;
    const expected = perMs * standingWaitMs;
    while (queue.length > expected) await store.end();
    const standing = await fill();
    assert.ok(
      standing > expected / 2 && standing < 1.3 * expected,
      `${standing} wait, and ${expected} are done in time`,
    );
    clock.advance(60_000);
    while (queue.length > 0) await store.end();
    await store.end();
    ends.push(...(await busy()));
    assert.equal(await fill(), maxWaiting, 'another burst');
    while (queue.length > 0) await store.end();
    await store.end();
    await Promise.all(ends);
  });

  it('are "overloaded" after waiting too long unless they are next, and are not done', async () => {
    const { store, clock, queue, submit, submitMany, busy } = startQueue();
    const [first] = await busy();
    const old = ['a', 'b'].flatMap((id) => submitMany(id, maxWaitingOfCaller));
    const ends = Promise.allSettled(old);
    clock.advance(longestWaitMs / 2);
    const young = submit('c');
    await turn();
    clock.advance(longestWaitMs / 2 + 1);
    await store.end();
    // The next batch runs, however late.
    const next = [
      'a0',
      'b0',
      'c0',
      ...namesOf('a', 1, 129).flatMap((name) => [name, name.replace('a', 'b')]),
    ];
    assert.deepEqual(store.batches, [['first0'], next.slice(0, maxInBatch)]);
    assert.equal(queue.length, 0);
    await store.end();
    const refused = (await ends).flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    assert.equal(refused.length, old.length + 1 - maxInBatch);
    for (const reason of refused) isOverloaded(/too long/)(reason);
    assert.deepEqual([await first, await young, store.batches.length], ['first0', 'c0', 2]);
  });

  it('are refused before the running batch ends, which makes room', async () => {
    const { store, clock, queue, submitMany, busy } = startQueue();
    const [first] = await busy();
    const refused = Promise.allSettled(submitMany('a', maxWaitingOfCaller));
    clock.advance(longestWaitMs + 1);
    const length = () => queue.length;
    await until(length, (length) => length === 0, 'they still wait');
    for (const end of await refused)
      assert.ok(end.status === 'rejected' && isOverloaded(/too long/)(end.reason));
    const next = submitMany('a', maxWaitingOfCaller);
    await store.end();
    assert.deepEqual(store.batches[1], namesOf('a', 0, maxWaitingOfCaller));
    await store.end();
    assert.deepEqual([await first, (await Promise.all(next)).length], ['first0', maxWaitingOfCaller]);
  });

  it('begin only after hang-ups of the same turn are noticed', async () => {
    const { store, submit } = startQueue();
    let hasHungUp = false;
    const gone = assert.rejects(submit('gone', 0, 0, () => hasHungUp));
    const stays = submit('stays');
    // At the end of the turn that the writes came in.
    setImmediate(() => {
      hasHungUp = true;
    });
    await turn();
    await store.end();
    await Promise.all([gone, stays]);
    assert.deepEqual(store.batches, [['stays0']]);
  });

  it('are dropped when their callers hang up before they begin, and done when later', async () => {
    const { store, submit, busy } = startQueue();
    const [first] = await busy();
    let hasHungUp = false;
    const isGone = () => hasHungUp;
    const gone = assert.rejects(submit('gone', 0, 0, isGone), { code: 'bad_request' });
    const stays = submit('stays');
    hasHungUp = true;
    await store.end();
    await gone;
    assert.deepEqual(store.batches[1], ['stays0']);
    await store.end();
    assert.deepEqual([await first, await stays], ['first0', 'stays0']);
    hasHungUp = false;
    const late = submit('late', 0, 0, isGone);
    await turn();
    hasHungUp = true;
    await store.end();
    assert.equal(await late, 'late0');
  });
});

describe('a failing batch of writes', () => {
  it('with an unexpected error is retried one by one; only the faulty write fails', async () => {
    const { store, submit, submitMany } = startQueue();
    const [a, guilty, c] = submitMany('a', 3);
    await turn();
    const behind = submit('behind');
    const mistake = new TypeError('on purpose');
    await store.fail(mistake);
    await store.end();
    const failed = assert.rejects(guilty as Promise<unknown>, mistake);
    await store.fail(mistake);
    await store.end();
    await failed;
    await store.end();
    assert.deepEqual(store.batches, [['a0', 'a1', 'a2'], ['a0'], ['a1'], ['a2'], ['behind0']]);
    assert.deepEqual([await a, await c, await behind], ['a0', 'a2', 'behind0']);
  });

  it('with a refusal is refused as a whole without a retry; the next batch runs', async () => {
    const { store, submit, submitMany } = startQueue();
    const refusal = new Refusal('storage_unavailable');
    const refused = submitMany('a', 3).map((each) => assert.rejects(each, refusal));
    await turn();
    const behind = submit('behind');
    await store.fail(refusal);
    await Promise.all(refused);
    await store.end();
    assert.deepEqual(store.batches, [['a0', 'a1', 'a2'], ['behind0']]);
    assert.equal(await behind, 'behind0');
  });
});

describe('stopping the write queue', () => {
  it('finishes the waiting writes and refuses new ones', async () => {
    const { store, queue, submit, busy } = startQueue();
    const [first] = await busy();
    const waiting = submit('waiting');
    let hasStopped = false;
    const stopping = queue.stop().then(() => {
      hasStopped = true;
    });
    await assert.rejects(submit('late'), isOverloaded(/stops/));
    await store.end();
    assert.deepEqual([await first, hasStopped], ['first0', false]);
    await store.end();
    await stopping;
    assert.equal(await waiting, 'waiting0');
  });

  it('ends at once when nothing waits', async () => {
    await startQueue().queue.stop();
  });
});
