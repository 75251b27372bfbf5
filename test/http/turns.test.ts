import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { Refusal } from '../../src/base/errors.ts';
import type { NowOrLater } from '../../src/base/now-or-later.ts';
import { maxBegunPerKey, maxWaitingPerKey, sliceMs, Turns } from '../../src/http/turns.ts';

const work = <T>(key: string, run: (leave: () => void, hasWaited: boolean) => NowOrLater<T>) => {
  return { key, run, hasHungUp: () => false };
};

/** Takes more than a slice of main-thread time. */
function useUpSlice(): void {
  const end = performance.now() + sliceMs + 1;
  while (performance.now() < end);
}

describe('turns', () => {
  it('begin a request at once, without a promise, while the slice has time left', () => {
    const turns = new Turns();
    for (let n = 0; n < 3; n += 1) assert.equal(turns.take(work('a', () => n)), n);
    const failing = work('a', () => {
      throw new Error('of the handler');
    });
    for (let n = 0; n <= maxBegunPerKey; n += 1) assert.throws(() => turns.take(failing));
    assert.equal(turns.giveWay('a'), undefined);
    assert.equal(turns.take(work('a', (_, hasWaited) => hasWaited)), false);
  });

  it('serve another caller after two requests at most, however many of one caller wait', async () => {
    const turns = new Turns();
    const begun: string[] = [];
    const begin = (key: string) =>
      turns.take(
        work(key, (_, hasWaited) => {
          begun.push(key);
          useUpSlice();
          return hasWaited;
        }),
      );
    const all = Array.from({ length: 20 }, () => begin('a'));
    await nextIteration();
    const before = begun.length;
    all.push(begin('b'));
    assert.equal(await all.at(-1), true);
    await Promise.all(all);
    assert.ok(begun.indexOf('b') <= before + 2, begun.join());
    assert.equal(begun.length, 21);
  });

  it('hold back a caller with two unanswered requests, and no other', async () => {
    const turns = new Turns();
    const { promise, resolve } = Promise.withResolvers<void>();
    let begun = 0;
    const leaves: (() => void)[] = [];
    const answers = Array.from({ length: 2 * maxBegunPerKey }, () =>
      turns.take(
        work('a', (leave) => {
          begun += 1;
          leaves.push(leave);
          return promise;
        }),
      ),
    );
    const settle = async () => {
      for (let n = 0; n < 10; n += 1) await nextIteration();
    };
    await settle();
    assert.equal(begun, maxBegunPerKey);
    assert.equal(await turns.take(work('b', () => 'b')), 'b');
    leaves[0]?.();
    leaves[0]?.();
    await settle();
    assert.equal(begun, maxBegunPerKey + 1, 'a request that leaves twice frees one place');
    resolve();
    await Promise.all(answers);
    assert.equal(begun, answers.length);
  });

  it('continue a request that has given way before new requests of its caller, and after those of others', async () => {
    const turns = new Turns();
    const done: string[] = [];
    const note = (name: string) => work(name, () => void done.push(name));
    const long = turns.take(
      work('a', async () => {
        useUpSlice();
        const others = [turns.take(note('a')), turns.take(note('b'))];
        await turns.giveWay('a');
        done.push('long');
        await Promise.all(others);
      }),
    );
    await long;
    assert.deepEqual(done.toSorted(), ['a', 'b', 'long']);
    assert.ok(done.indexOf('long') < done.indexOf('a'), done.join());
  });

  it('drop a request whose caller has hung up, and refuse those past the limit', async () => {
    const turns = new Turns();
    turns.take(work('a', useUpSlice));
    const gone = turns.take({ ...work('a', () => assert.fail('begun')), hasHungUp: () => true });
    await assert.rejects(Promise.resolve(gone), Refusal);
    turns.take(work('a', useUpSlice));
    const waiting = Array.from({ length: maxWaitingPerKey }, () => turns.take(work('a', () => 1)));
    assert.throws(() => turns.take(work('a', () => 1)), { code: 'overloaded' });
    assert.equal(await turns.take(work('b', () => 'b')), 'b');
    await Promise.all(waiting);
  });
});
