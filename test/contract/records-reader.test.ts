import assert from 'node:assert/strict';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Refusal } from '../../src/base/errors.ts';
import { insertAll } from '../support/databases/batches.ts';
import { newSqliteFile, sqliteDatabase } from '../support/databases/databases.ts';
import { newQuery, newRecord } from '../support/databases/records.ts';
import { MovableClock } from '../support/services/movable-clock.ts';

const isUnavailable = (error: unknown) => error instanceof Refusal && error.code === 'storage_unavailable';

/** The read-only connection: what it must refuse, and what it must detect. */
describe('the SQLite read connection', () => {
  it('cannot write', async () => {
    const engine = await sqliteDatabase(newSqliteFile()).openEngine();
    await assert.rejects(engine.reader.deleteFrom('records').execute());
    await engine.close();
  });

  for (const usedBefore of [true, false]) {
    const when = usedBefore ? 'after' : 'before';
    it(`is refused when the file is removed or replaced ${when} the first read, and works when it is back`, async () => {
      const file = newSqliteFile();
      const clock = new MovableClock();
      const storage = await sqliteDatabase(file, clock).open();
      const find = async () => {
        clock.advance(1_000);
        return storage.records.find('notes', record.id);
      };
      const record = newRecord();
      await insertAll(storage, [record]);
      if (usedBefore) assert.deepEqual(await storage.records.list(newQuery()), [record]);
      renameSync(file, `${file}.away`);
      await assert.rejects(find(), isUnavailable);
      assert.equal(existsSync(file), false, 'reading makes no file');
      writeFileSync(file, '');
      await assert.rejects(find(), isUnavailable);
      renameSync(`${file}.away`, file);
      assert.deepEqual(await find(), record);
      await storage.close();
    });
  }

  it('gives each of hundreds of concurrent reads its own result', async () => {
    const storage = await sqliteDatabase(newSqliteFile()).open();
    const made = Array.from({ length: 500 }, () => newRecord());
    await insertAll(storage, made);
    const found = await Promise.all(made.map(({ id }) => storage.records.find('notes', id)));
    assert.deepEqual(found, made);
    await storage.close();
  });

  it('leaves no WAL behind after a clean stop', async () => {
    const file = newSqliteFile();
    const storage = await sqliteDatabase(file).open();
    await insertAll(storage, [newRecord()]);
    await storage.records.counts();
    await storage.close();
    for (const end of ['-wal', '-shm']) assert.equal(existsSync(file + end), false, end);
  });
});
