import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Pace, paced } from '../../src/storage/paced.ts';

describe('the pace of writes', () => {
  it('lets one step go on in a turn of the event loop, however many wait, and in their order', async () => {
    const pace = new Pace();
    const store = paced({ step: async (number: number) => number }, pace);
    const seen: string[] = [];
    const writes = [1, 2, 3].map(async (number) => seen.push(`step ${await store.step(number)}`));
    // As somebody does who asks for something quick in every turn.
    for (let turn = 1; turn <= 3; turn++) {
      await new Promise(setImmediate);
      seen.push(`turn ${turn}`);
    }
    await Promise.all(writes);
    const steps = seen.flatMap((entry, index) => (entry.startsWith('step') ? [index] : []));
    assert.deepEqual(
      steps.map((index) => seen[index]),
      ['step 1', 'step 2', 'step 3'],
    );
    for (const [index, next] of steps.slice(1).entries()) {
      assert.ok(next - (steps[index] ?? 0) > 1, `two steps in one turn: ${seen.join(', ')}`);
    }
  });

  it('lets who is in a transaction go before who wants to begin one', async () => {
    const pace = new Pace();
    const seen: string[] = [];
    const begins = [1, 2].map((number) => pace.next().then(() => seen.push(`begin ${number}`)));
    const step = pace.hurry().then(() => seen.push('step'));
    await Promise.all([...begins, step]);
    assert.deepEqual(seen, ['step', 'begin 1', 'begin 2']);
  });

  it('goes on after a step that failed', async () => {
    const store = paced(
      { step: (ok: boolean) => (ok ? Promise.resolve() : Promise.reject(new Error('no'))) },
      new Pace(),
    );
    await assert.rejects(store.step(false), /no/);
    await store.step(true);
  });
});
