import assert from 'node:assert/strict';
import { it } from 'node:test';
import { declarationsFolder } from '../support/declared-processes.ts';
import { DeclaredService } from '../support/declared-service.ts';
import { endOf, failed, succeeded } from '../support/outcome.ts';
import { createDatabase } from '../support/postgres.ts';
import { TestProvider } from '../support/provider.ts';
import { addClient, fileOf, newSettings, runVestibule, startService } from '../support/service.ts';

it('vestibule move copies everything to PostgreSQL, and the SQLite file is not served any more', async (t) => {
  const provider = await TestProvider.start();
  t.after(() => provider.stop());
  const source = await newSettings('sqlite', {
    ...provider.settings,
    COLLECTIONS_DIR: declarationsFolder({
      notes: 'schema: { properties: { text: { type: string, maxLength: 20 } } }',
    }),
  });
  await addClient(source, 'machine');
  const before = await startService(source);
  const caller = await new DeclaredService(provider, before, new Map()).person();
  const { record, etag } = await caller.make('notes', { text: 'ünïcode \u{1f469}' });
  const { id: me } = (await caller.get('/me')).json<{ id: string }>();
  await before.stop();

  const url = await createDatabase();
  const { tables } = JSON.parse(succeeded(await runVestibule(source, 'move', '--to', url, '--json'))) as {
    tables: { table: string; rows: number }[];
  };
  const rows = Object.fromEntries(tables.map((one) => [one.table, one.rows]));
  assert.deepEqual([rows.records, rows.consumers, rows.clients], [1, 1, 1]);

  const target = { ...source, DATABASE_URL: url, MASTER_SECRET_FILE: `${fileOf(source)}.secret` };
  const after = await startService(target);
  const same = caller.at(after);
  assert.equal((await same.get('/me')).json<{ id: string }>().id, me);
  const reply = await same.get(`/notes/${record.id}`);
  assert.equal(reply.headers.get('etag'), etag);
  assert.deepEqual(reply.json(), record);
  await after.stop();
  failed(await endOf(source, ['serve']), /was moved to postgres:.* Set DATABASE_URL to that one/);
});
