import assert from 'node:assert/strict';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Refusal } from '../../src/base/errors.ts';
import type { Storage } from '../../src/storage/port.ts';
import { SqliteThread } from '../../src/storage/sqlite/thread.ts';
import { addOne, batchesOf, register } from '../support/batches.ts';
import { newSqliteFile, postgresDatabase, sqliteDatabase } from '../support/databases.ts';
import { beginOutside } from '../support/outsider.ts';
import { createDatabase } from '../support/postgres.ts';
import { newRecord } from '../support/records.ts';

const isUnavailable = (error: unknown) => error instanceof Refusal && error.code === 'storage_unavailable';
const owner = 'usr_owner';

/** Somebody who has one record already. */
async function withOwner(storage: Storage): Promise<Storage> {
  await register(storage, owner, 'user', 1);
  await addOne(storage, owner);
  return storage;
}

const recordsOf = async ({ records }: Storage) => (await records.ofOwner(owner, null, 10)).length;

describe('a batch on PostgreSQL whose session ends in the middle', () => {
  const moments = {
    'while it loads': `update consumers set state = state where id = '${owner}'`,
    'while it is applied': `update usage set writes = writes where owner = '${owner}'`,
  };
  for (const [when, locking] of Object.entries(moments)) {
    it(`[F162] ${when} is refused, has done nothing, and is done when it comes again`, async () => {
      const url = await createDatabase();
      const storage = await withOwner(await postgresDatabase(url).open());
      const outsider = await beginOutside(url);
      await outsider.run(locking);
      const interrupted = assert.rejects(addOne(storage, owner), isUnavailable);
      await outsider.untilSomebodyWaits();
      await outsider.endThoseWhoWait();
      await interrupted;
      await outsider.commit();
      assert.equal(await recordsOf(storage), 1);
      assert.equal(await addOne(storage, owner), true);
      assert.equal(await recordsOf(storage), 2);
      await storage.close();
    });
  }
});

describe('a batch on SQLite', () => {
  it('[F155] is refused while the file is away or another one, and goes on when it is back', async () => {
    const file = newSqliteFile();
    const storage = await withOwner(await sqliteDatabase(file).open());
    renameSync(file, `${file}.away`);
    await assert.rejects(addOne(storage, owner), isUnavailable);
    assert.equal(existsSync(file), false, 'writing makes no file');
    writeFileSync(file, '');
    await assert.rejects(addOne(storage, owner), isUnavailable);
    renameSync(`${file}.away`, file);
    assert.equal(await addOne(storage, owner), true);
    assert.equal(await recordsOf(storage), 2);
    await storage.close();
  });

  it('is refused when the thread that writes has ended, and so is whatever waits for it or comes later', async () => {
    const file = newSqliteFile();
    const storage = await withOwner(await sqliteDatabase(file).open());
    const batches = await batchesOf(storage);
    const newRecords = [newRecord({ owner })];
    const questions = {
      ending: () => batches.run([{ kind: 'end_thread' }]),
      'a batch that waits': () => batches.run([{ kind: 'plain', keys: {}, changes: { newRecords } }]),
      'another write that waits': () => storage.documents.write('x', '', new Uint8Array()),
    };
    const refused = Object.values(questions).map((ask) => assert.rejects(ask, isUnavailable));
    await Promise.all(refused);
    for (const [name, ask] of Object.entries(questions)) await assert.rejects(ask, isUnavailable, name);
    await storage.close();
    const next = await sqliteDatabase(file).open();
    assert.equal(await recordsOf(next), 1, 'nothing of it was done');
    assert.equal(await addOne(next, owner), true);
    await next.close();
  });

  it('that has begun is done before the storage closes', async () => {
    const file = newSqliteFile();
    const storage = await withOwner(await sqliteDatabase(file).open());
    const record = newRecord({ owner });
    const batches = await batchesOf(storage);
    const adding = batches.run([{ kind: 'plain', keys: {}, changes: { newRecords: [record] } }]);
    // On its way to the thread by the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([adding, storage.close()]);
    assert.equal(existsSync(`${file}-wal`), false);
    const next = await sqliteDatabase(file).open();
    assert.equal(await recordsOf(next), 2);
    await next.close();
  });
});

describe('the thread that writes to SQLite', () => {
  it('tells whoever asks while it closes, or afterwards, that it is closed', async () => {
    const thread = await SqliteThread.open(newSqliteFile());
    const closing = thread.close();
    await assert.rejects(thread.run('select 1', []), /the connection is closed/);
    await closing;
    await assert.rejects(thread.run('select 1', []), /the connection is closed/);
    await assert.rejects(thread.runBatch([]), /the connection is closed/);
  });
});
