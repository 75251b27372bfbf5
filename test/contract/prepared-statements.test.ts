import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import type { Engine } from '../../src/storage/engine.ts';
import { openPostgres } from '../../src/storage/postgres/engine.ts';
import { createStorage } from '../../src/storage/storage.ts';
import {
  apply,
  insertAll,
  load,
  newIdempotencyKey,
  register,
  setUsage,
} from '../support/databases/batches.ts';
import { anyKeys, openedAt } from '../support/databases/databases.ts';
import { createDatabase, direct } from '../support/databases/postgres.ts';
import { newQuery, newRecord, noUsage } from '../support/databases/records.ts';

/** A database without PgBouncer, which would give each transaction another session. */
const newDatabase = async () => direct(await createDatabase());

/** The prepared statements of the one session of a storage. */
async function keptBy(engine: Engine): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from pg_prepared_statements`.execute(
    engine.database,
  );
  return rows[0]?.count ?? 0;
}

describe('named prepared statements on PostgreSQL', () => {
  for (const keepsStatements of [true, false]) {
    it(`are ${keepsStatements ? 'kept' : 'none'} when they are switched ${keepsStatements ? 'on' : 'off'}, with the same results`, async () => {
      const url = await newDatabase();
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

  it('are limited in number, whatever callers filter by', async () => {
    const url = await newDatabase();
    const engine = openPostgres(url, { poolSize: 1 });
    const storage = await createStorage(engine, openedAt, anyKeys);
    for (let number = 0; number < 400; number += 1)
      assert.deepEqual(await storage.records.list(newQuery({ collection: `notes_${number}` })), []);
    const kept = await keptBy(engine);
    assert.ok(kept > 100 && kept <= 200, `${kept} are kept`);
    await storage.close();
  });

  it('are switched off for good when a session does not know them, with the same results', async () => {
    const notices: string[] = [];
    const url = await newDatabase();
    const engine = openPostgres(url, { poolSize: 1, onNotice: (notice) => notices.push(notice) });
    const storage = await createStorage(engine, openedAt, anyKeys);
    const record = newRecord();
    await insertAll(storage, [record]);
    assert.deepEqual(await storage.records.find('notes', record.id), record);
    // As behind a pooler, where the session changes.
    await sql`deallocate all`.execute(engine.database);
    assert.deepEqual(await storage.records.find('notes', record.id), record);
    assert.equal(notices.length, 1);
    await insertAll(storage, [newRecord()]);
    assert.equal((await storage.records.list(newQuery())).length, 2);
    assert.equal(await keptBy(engine), 0);
    assert.equal(notices.length, 1);
    await storage.close();
  });

  it('are switched off by a batch, which is done once', async () => {
    const engine = openPostgres(await newDatabase(), { poolSize: 1 });
    const storage = await createStorage(engine, openedAt, anyKeys);
    await insertAll(storage, [newRecord()]);
    await sql`deallocate all`.execute(engine.database);
    await insertAll(storage, [newRecord()]);
    assert.equal((await storage.records.list(newQuery())).length, 2);
    await storage.close();
  });

  it('keep working when another release adds a column to every table', async () => {
    const url = await newDatabase();
    // One session each, which keeps its prepared statements.
    const storage = await createStorage(openPostgres(url, { poolSize: 1 }), openedAt, anyKeys);
    const newer = openPostgres(url, { poolSize: 1 });
    const owner = 'usr_owner';
    const readAndWrite = async () => {
      const id = `usr_${randomUUID()}`;
      const key = newIdempotencyKey({ owner });
      const record = newRecord({ owner });
      await register(storage, id, 'user', openedAt);
      await insertAll(storage, [record]);
      await apply(storage, {
        changedRecords: [{ ...record, revision: 'changed' }],
        changedUsage: [{ ...noUsage, owner, collection: 'notes', writes: 1, records: 1 }],
        idempotencyKeys: [{ ...key, recordIds: record.id }],
      });
      const loaded = await load(storage, {
        consumers: [{ id }, { id: 'usr_stranger' }],
        spentBudgets: [{ former: new Uint8Array([1]) }],
        usage: [{ owner, collection: 'notes' }],
        records: [{ collection: 'notes', id: record.id }],
        idempotencyKeys: [key],
      });
      assert.equal(loaded.consumers.length, 1);
      assert.equal(loaded.usage.length, 1);
      assert.deepEqual(loaded.records[0]?.revision, 'changed');
      assert.equal(loaded.idempotencyKeys.length, 1);
      assert.equal((await storage.records.find('notes', record.id))?.revision, 'changed');
      const query = newQuery({ limit: 1 });
      assert.equal((await storage.records.list(query)).length, 1);
      assert.equal((await storage.records.sizes(query)).length, 1);
      const after = { value: 0, id: '' };
      assert.equal((await storage.records.list({ ...query, after })).length, 1);
      assert.notEqual(await storage.records.placeAfter(query, 1), null);
      assert.equal(await storage.records.hasExpired('notes', 0), false);
    };
    await setUsage(storage, owner, 'notes', noUsage);
    await readAndWrite();
    for (const table of ['consumers', 'records', 'usage', 'idempotency_keys', 'spent_budgets'])
      await sql`alter table ${sql.table(table)} add column added_later text`.execute(newer.database);
    await readAndWrite();
    await storage.close();
    await newer.close();
  });
});
