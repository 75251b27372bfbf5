import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { RepeatedLook } from '../../src/events/repeated-look.ts';
import { MovableClock } from '../support/movable-clock.ts';

/** A look that counts itself, and what came of the others. */
function started(look: (count: number) => Promise<void>) {
  const clock = new MovableClock();
  const seen = { looks: 0, failures: 0 };
  const repeated = new RepeatedLook({
    look: () => {
      seen.looks += 1;
      return look(seen.looks);
    },
    everyMs: 1_000,
    onFailure: () => {
      seen.failures += 1;
    },
    clock,
  });
  repeated.start();
  return { repeated, seen, clock };
}

describe('what is looked at again and again', () => {
  it('is looked at by itself every so often, when somebody calls, and not after the end', async () => {
    const { repeated, seen, clock } = started(async () => {});
    clock.advance(999);
    assert.equal(seen.looks, 0);
    clock.advance(1);
    assert.equal(seen.looks, 1);
    await repeated.look();
    assert.equal(seen.looks, 2);
    await repeated.stop();
    clock.advance(10_000);
    await repeated.look();
    assert.equal(seen.looks, 2);
  });

  it('is looked at once more after any number of calls during a look', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { repeated, seen } = started((count) => (count === 1 ? promise : Promise.resolve()));
    const calls = [repeated.look(), repeated.look(), repeated.look()];
    assert.equal(seen.looks, 1);
    resolve();
    await Promise.all(calls);
    assert.equal(seen.looks, 2);
  });

  it('is looked at after a call at whatever moment a look ends', async () => {
    for (let steps = 0; steps < 10; steps += 1) {
      const { repeated, seen } = started(async () => {});
      void repeated.look();
      for (let step = 0; step < steps; step += 1) await null;
      const before = seen.looks;
      void repeated.look();
      await turn();
      assert.equal(seen.looks, before + 1, `${steps} steps after it began`);
    }
  });

  it('that fails is told of once, until it has worked again', async () => {
    let isWorking = false;
    const { repeated, seen } = started(async () => assert.ok(isWorking));
    for (let count = 0; count < 3; count += 1) await repeated.look();
    assert.equal(seen.failures, 1);
    isWorking = true;
    await repeated.look();
    isWorking = false;
    await repeated.look();
    assert.deepEqual(seen, { looks: 5, failures: 2 });
  });
});
