import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { OwnWrites } from '../../web/src/api/own-writes.ts';

describe('OwnWrites.settled()', () => {
  it('waits for a pending write and for the handling of its answer', async () => {
    const writes = new OwnWrites();
    const done: string[] = [];
    const answer = Promise.withResolvers<void>();
    const write = async () => {
      await answer.promise;
      await turn();
      done.push('shown');
    };
    void writes.follow(write());
    const waiting = writes.settled().then(() => done.push('settled'));
    await turn();
    assert.deepEqual(done, []);
    answer.resolve();
    await waiting;
    assert.deepEqual(done, ['shown', 'settled']);
  });

  it('waits for a write that fails, whose caller gets the error', async () => {
    const writes = new OwnWrites();
    const refused = writes.follow(Promise.reject(new Error('refused')));
    await Promise.all([writes.settled(), assert.rejects(refused, /refused/)]);
  });

  it('does not wait for finished or later writes', async () => {
    const writes = new OwnWrites();
    assert.equal(await writes.follow(Promise.resolve('answer')), 'answer');
    const settled = writes.settled();
    void writes.follow(new Promise(() => {}));
    await settled;
  });
});
