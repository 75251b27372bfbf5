import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { beginOutside } from '../support/databases/outsider.ts';
import { assertCode } from '../support/http/code.ts';
import { deployment } from '../support/services/deployment.ts';
import { fileOf } from '../support/services/service.ts';

const declarations = {
  notes: 'schema: { properties: { text: { type: string, maxLength: 280 } } }\nlimits: { writes: 100000/min }',
};
/** Longer than the lock timeout of a write (two seconds), for which a blocked thread would stop. */
const lockedMs = 5_000;
const stillMs = 1_000;

describe('an SQLite file locked by another program', () => {
  const one = deployment({ declarations });

  it('[F157] writes are refused in time, reads go on, and the event loop is not blocked', async () => {
    const caller = await one().person();
    const { record } = await caller.make('notes', { text: 'before' });
    const outsider = await beginOutside(fileOf(one().settings));
    const delays: number[] = [];
    let refused = 0;
    let isOver = false;
    const writing = (async () => {
      while (!isOver) {
        assertCode(await caller.send('POST', '/notes', { text: 'during' }), 'storage_unavailable');
        refused += 1;
      }
    })();
    const until = performance.now() + lockedMs;
    while (performance.now() < until) {
      const from = performance.now();
      assert.equal((await caller.get(`/notes/${record.id}`)).status, 200);
      delays.push(performance.now() - from);
      await pause(20);
    }
    isOver = true;
    await writing;
    await outsider.commit();
    assert.ok(refused >= 2, `${refused} writes refused`);
    assert.ok(Math.max(...delays) < stillMs, `a read took ${Math.max(...delays)} ms`);
    const lag = /^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(await one().service.metrics());
    assert.ok(Number(lag?.[1]) * 1000 < stillMs, `the event loop stood still for ${lag?.[1]} s`);
    await caller.make('notes', { text: 'after' });
    assert.equal((await caller.all('notes')).length, 2);
  });
});
