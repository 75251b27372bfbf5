import assert from 'node:assert/strict';
import { existsSync, renameSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Refusal } from '../../src/base/errors.ts';
import { openShared } from '../../src/storage/shared.ts';
import { SharedSqlite, SqliteThread } from '../../src/storage/sqlite/thread.ts';
import { createTestDatabase, newSqliteFile, openedAt, sqliteDatabase } from '../support/databases.ts';
import { newQuery, newRecord } from '../support/records.ts';
import { databaseEngines } from '../support/service.ts';

const isUnavailable = (error: unknown) => error instanceof Refusal && error.code === 'storage_unavailable';

for (const engine of databaseEngines) {
  describe(`a database that two threads share, on ${engine}`, () => {
    it('lets the transactions of both take turns, and loses none', async () => {
      const own = await (await createTestDatabase(engine)).open();
      const shared = await openShared(own.share());
      const made = Array.from({ length: 60 }, () => newRecord());
      await Promise.all(
        made.map((record, index) =>
          (index % 2 === 0 ? own : shared).records.write(async (write) => {
            assert.equal(await write.find('notes', record.id), null);
            await write.insert(record);
            assert.deepEqual(await write.find('notes', record.id), record);
          }),
        ),
      );
      const kept = await own.records.list(newQuery({ limit: 100 }));
      assert.deepEqual(new Set(kept.map(({ id }) => id)), new Set(made.map(({ id }) => id)));
      await shared.close();
      await own.consumers.register('usr_after', 'user', openedAt);
      await own.close();
    });

    it('undoes what fails on one side, and on that side only', async () => {
      const own = await (await createTestDatabase(engine)).open();
      const shared = await openShared(own.share());
      const [kept, undone] = [newRecord(), newRecord()];
      const reason = new Error('not this one');
      const failing = shared.records.write(async (write) => {
        await write.insert(undone);
        throw reason;
      });
      await Promise.all([assert.rejects(failing, reason), own.records.write((write) => write.insert(kept))]);
      assert.deepEqual(await own.records.list(newQuery()), [kept]);
      await shared.close();
      await own.close();
    });
  });
}

describe('an SQLite connection that two threads share', () => {
  const insert = "insert into texts values ('one')";
  const open = async () => {
    const file = newSqliteFile();
    const thread = await SqliteThread.open(file);
    await thread.run('create table texts (text)', []);
    return { file, thread, count: async () => (await thread.run('select * from texts', [])).rows.length };
  };

  it('undoes what somebody has begun who is gone', async () => {
    const { thread, count } = await open();
    const other = new SharedSqlite(thread.share());
    await other.run('begin immediate', []);
    await other.run(insert, []);
    const counted = count();
    await other.close();
    assert.equal(await counted, 0, 'whoever waited goes on, and sees nothing of it');
    await thread.close();
  });

  it('does not do the rest of a transaction that has ended, or never begun', async () => {
    const { thread, count } = await open();
    const other = new SharedSqlite(thread.share());
    await other.run('begin immediate', []);
    await other.run(insert, [], true);
    await other.run('rollback', []);
    await assert.rejects(other.run(insert, [], true), /the transaction has ended/);
    await thread.run('begin immediate', []);
    const waits = assert.rejects(other.run(insert, [], true), /the transaction has ended/);
    await thread.run('commit', []);
    await waits;
    assert.equal(await count(), 0);
    await other.close();
    await thread.close();
  });

  it('says so to whoever asks once it is closed, and leaves the file alone', async () => {
    const { file, thread } = await open();
    const other = new SharedSqlite(thread.share());
    await other.run(insert, []);
    await thread.run('begin immediate', []);
    const waits = assert.rejects(other.run(insert, []), /the connection is closed/);
    await thread.close();
    await waits;
    await assert.rejects(other.run(insert, []), /the connection is closed/);
    assert.equal(existsSync(`${file}-wal`), false);
  });

  it('goes on for both when the file was away in the middle of a transaction', async () => {
    const file = newSqliteFile();
    const own = await sqliteDatabase(file).open();
    const shared = await openShared(own.share());
    const [lost, kept] = [newRecord(), newRecord()];
    const failing = shared.records.write(async (write) => {
      await write.insert(lost);
      renameSync(file, `${file}.away`);
      await write.find('notes', lost.id);
    });
    await assert.rejects(failing, isUnavailable);
    await assert.rejects(own.ping(), isUnavailable);
    renameSync(`${file}.away`, file);
    await own.ping();
    await shared.records.write((write) => write.insert(kept));
    assert.deepEqual(await own.records.list(newQuery()), [kept]);
    await shared.close();
    await own.close();
  });

  it('tells whoever asks after its end that it is closed', async () => {
    const { thread } = await open();
    const closing = thread.close();
    await assert.rejects(thread.run(insert, []), /the connection is closed/);
    await closing;
  });

  it('is unavailable to the stores of the other side then', async () => {
    const own = await sqliteDatabase(newSqliteFile()).open();
    const shared = await openShared(own.share());
    await shared.consumers.register('usr_one', 'user', openedAt);
    await own.close();
    await assert.rejects(shared.consumers.register('usr_two', 'user', openedAt), isUnavailable);
  });
});
