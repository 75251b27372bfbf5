import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import type { Engine } from '../../src/storage/engine.ts';
import { openPostgres } from '../../src/storage/postgres/engine.ts';
import { createStorage } from '../../src/storage/storage.ts';
import { insertAll } from '../support/batches.ts';
import { anyKeys, openedAt } from '../support/databases.ts';
import { createDatabase } from '../support/postgres.ts';
import { newQuery, newRecord } from '../support/records.ts';

/** What the one session of a storage keeps parsed and planned. */
async function keptBy(engine: Engine): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from pg_prepared_statements`.execute(
    engine.database,
  );
  return rows[0]?.count ?? 0;
}

describe('statements that PostgreSQL keeps by name', () => {
  for (const keepsStatements of [true, false]) {
    it(`are ${keepsStatements ? 'kept' : 'none'} when they are switched ${keepsStatements ? 'on' : 'off'}, and the answers are the same`, async () => {
      const url = await createDatabase();
      const engine = openPostgres(url, { poolSize: 1, keepsStatements });
      const storage = await createStorage(engine, openedAt, anyKeys);
      const record = newRecord();
      await insertAll(storage, [record]);
      for (let times = 0; times < 3; times += 1) {
        assert.deepEqual(await storage.records.find('notes', record.id), record);
        assert.deepEqual(await storage.records.list(newQuery()), [record]);
      }
      assert.equal((await keptBy(engine)) > 0, keepsStatements);
      await storage.close();
    });
  }

  it('are bounded, whatever callers filter by', async () => {
    const url = await createDatabase();
    const engine = openPostgres(url, { poolSize: 1 });
    const storage = await createStorage(engine, openedAt, anyKeys);
    for (let number = 0; number < 400; number += 1)
      assert.deepEqual(await storage.records.list(newQuery({ collection: `notes_${number}` })), []);
    const kept = await keptBy(engine);
    assert.ok(kept > 100 && kept <= 200, `${kept} are kept`);
    await storage.close();
  });
});
