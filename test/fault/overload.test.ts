import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refusal } from '../../src/base/errors.ts';
import type { Engine } from '../../src/storage/engine.ts';
import type { StoredRecord } from '../../src/storage/port.ts';
import { openPostgres } from '../../src/storage/postgres/engine.ts';
import { createStorage } from '../../src/storage/storage.ts';
import { batchesOf, insertAll } from '../support/databases/batches.ts';
import { anyKeys, newSqliteFile, openedAt, sqliteDatabase } from '../support/databases/databases.ts';
import { createDatabase } from '../support/databases/postgres.ts';
import { newRecord } from '../support/databases/records.ts';

const isOverloaded = (says: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Refusal, String(error));
  assert.equal(error.code, 'overloaded');
  assert.match(String(error.options.detail), says);
  assert.doesNotMatch(String(error.options.detail), /another process/);
  assert.equal(error.options.retryAfterSeconds, 1);
  return true;
};

/** A transaction that stays open until `end`. */
function holdTransaction({ database }: Engine) {
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = database.transaction().execute(async () => {
    begun.resolve();
    await held.promise;
  });
  const end = () => {
    held.resolve();
    return first;
  };
  return { begun: begun.promise, end };
}

/** A refusal because of the full queue, which tells callers that nothing was begun. */
describe('a full queue for the database', () => {
  it('refuses with "overloaded", on sqlite', async (t) => {
    const engine = await sqliteDatabase(newSqliteFile()).openEngine();
    const storage = await createStorage(engine, openedAt, anyKeys);
    const batches = await batchesOf(storage);
    const insert = (record: StoredRecord) =>
      batches.run([{ kind: 'plain', keys: {}, changes: { newRecords: [record] } }]);
    const { begun, end } = holdTransaction(engine);
    t.after(async () => {
      await end();
      await storage.close();
    });
    await begun;
    const [refused, kept] = [newRecord(), newRecord()];
    const batch = insert(kept);
    const others = Array.from({ length: 4_999 }, () => storage.documents.write('name', '', new Uint8Array()));
    await assert.rejects(
      storage.documents.write('name', '', new Uint8Array()),
      isOverloaded(/queue for SQLite/),
    );
    await assert.rejects(insert(refused), isOverloaded(/queue for SQLite/));
    await end();
    // On a busy machine some of them time out, and are not there either.
    const [{ status }] = await Promise.allSettled([batch, ...others]);
    assert.equal(await storage.records.find('notes', refused.id), null);
    assert.deepEqual(await storage.records.find('notes', kept.id), status === 'fulfilled' ? kept : null);
  });

  it('[F164] refuses with "overloaded" when all sessions are busy for too long, on postgres', async (t) => {
    const url = await createDatabase();
    const engine = openPostgres(url, { poolSize: 1 });
    const storage = await createStorage(engine, openedAt, anyKeys);
    const { begun, end } = holdTransaction(engine);
    t.after(async () => {
      await end();
      await storage.close();
    });
    await begun;
    const refused = newRecord();
    await Promise.all([
      assert.rejects(storage.consumers.find('x'), isOverloaded(/in use for too long/)),
      assert.rejects(insertAll(storage, [refused]), isOverloaded(/in use for too long/)),
    ]);
    await end();
    assert.equal(await storage.consumers.find('x'), null);
    assert.equal(await storage.records.find('notes', refused.id), null);
  });
});
