import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { assertCode } from '../support/http/code.ts';
import { request } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { deployment } from '../support/services/deployment.ts';
import { clockedProcess, fileOf } from '../support/services/service.ts';
import { diskCalls, failCalls } from './failing-calls.ts';

const declarations = {
  notes:
    'schema: { properties: { text: { type: string, maxLength: 280 } } }\nlimits: { per_user: 1000, writes: 100000/min }',
};
/** Many more than a write takes. */
const maxCalls = 60;

/** As in SQLite's own tests: each call that reaches the disk fails in turn, once or from then on. */
describe('SQLite on a failing disk', () => {
  const one = deployment({ declarations, settings: clockedProcess });
  const fail = (when: string, error = 'EIO') =>
    failCalls(Number(one().service.process.pid), { calls: diskCalls, error, when });
  const file = () => fileOf(one().settings);

  for (const [what, suffix] of Object.entries({ once: '', 'from then on': '+' }))
    it(`[F153] an error at any call, ${what}: the write is refused or done in full, and the next one succeeds`, async (t) => {
      const caller = await one().person();
      const made = new Set([(await caller.make('notes', { text: 'before' })).record.id]);
      let refused = 0;
      for (let call = 1; ; call += 1) {
        assert.ok(call < maxCalls, `a write takes ${call} calls`);
        const end = await fail(`${call}${suffix}`);
        const reply = await caller.send('POST', '/notes', { text: 'during' });
        const failed = await end();
        if (reply.status === 201) made.add(reply.json<{ id: string }>().id);
        else {
          assertCode(reply, 'storage_unavailable');
          assert.match(String(reply.headers.get('retry-after')), /^[1-9]\d*$/);
          refused += 1;
        }
        // Works without a restart, whatever the fault has left behind.
        made.add((await caller.make('notes', { text: 'after' })).record.id);
        const found = (await caller.all('notes')).map(({ id }) => id);
        assert.deepEqual(found.toSorted(), [...made].toSorted(), `call ${call}`);
        assert.equal((await caller.usage('notes')).records.used, made.size, `call ${call}`);
        if (failed === 0) break;
      }
      t.diagnostic(`${refused} writes refused`);
      assert.ok(refused > 0, 'control: some calls have failed');
      using database = new DatabaseSync(file(), { readOnly: true });
      assert.deepEqual({ ...database.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' });
      const [row] = database.prepare('select count(*) as count, max(position) as last from events').all();
      assert.equal(row?.count, row?.last, 'no event is missing');
    });

  it('[F155] on a file system that became read-only, writes are refused and reads go on', async () => {
    const caller = await one().person();
    const { record } = await caller.make('notes', {});
    const end = await fail('1+', 'EROFS');
    assertCode(await caller.send('POST', '/notes', {}), 'storage_unavailable');
    assert.equal((await caller.get('/me')).status, 200);
    assert.equal((await caller.get(`/notes/${record.id}`)).status, 200);
    const { opsUrl } = one().service;
    assert.equal((await request(`${opsUrl}/livez`)).status, 200);
    const ready = () => request(`${opsUrl}/readyz`);
    await until(ready, ({ status }) => status === 503, 'it stays ready');
    await end();
    await pause(0);
    await caller.make('notes', {});
  });
});
