import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { Refusal } from '../../src/base/errors.ts';
import { insertAll, register } from '../support/databases/batches.ts';
import { newSqliteFile, sqliteDatabase } from '../support/databases/databases.ts';
import {
  anyLine,
  erasureOf,
  newClient,
  newQuery,
  newRecord,
  newSecret,
} from '../support/databases/records.ts';
import { MovableClock } from '../support/services/movable-clock.ts';

/** The pragmas that durability and erasure depend on. */
const promised = {
  journal_mode: 'wal',
  synchronous: 2,
  foreign_keys: 1,
  busy_timeout: 2_000,
  secure_delete: 1,
};

describe('the SQLite file', () => {
  it('[F152] is opened with the pragmas that durability and erasure need', async () => {
    const engine = await sqliteDatabase(newSqliteFile()).openEngine();
    for (const [name, value] of Object.entries(promised)) {
      const { rows } = await sql.raw<Record<string, unknown>>(`pragma ${name}`).execute(engine.database);
      assert.deepEqual(Object.values(rows[0] ?? {}), [value], name);
    }
    await engine.close();
  });

  it('[F158] accepts writes during a long read, and its WAL is truncated afterwards', async () => {
    const file = newSqliteFile();
    const storage = await sqliteDatabase(file).open();
    using reader = new DatabaseSync(file, { readOnly: true });
    reader.exec('begin');
    reader.prepare('select count(*) from records').get();
    const body = 'x'.repeat(60_000);
    const some = () => Array.from({ length: 250 }, () => newRecord({ fields: { body } }));
    for (let round = 0; round < 6; round += 1) await insertAll(storage, some());
    assert.ok(statSync(`${file}-wal`).size > 80e6, 'control: nothing of it could be emptied');
    await register(storage, 'usr_gone', 'user', 1);
    // The writes do not wait for the reader, which ends below.
    await storage.records.erase('usr_gone', null, erasureOf('usr_gone'));
    reader.exec('commit');
    for (let round = 0; round < 3; round += 1) await register(storage, `usr_${round}`, 'user', 1);
    assert.ok(statSync(`${file}-wal`).size <= 64 * 1024 * 1024, 'no more than it may keep');
    await storage.close();
  });

  it('and its WAL and shared memory are readable by the owner only', async () => {
    const file = newSqliteFile();
    const storage = await sqliteDatabase(file).open();
    await register(storage, 'somebody', 'user', 1);
    for (const name of [file, `${file}-wal`, `${file}-shm`]) {
      assert.equal(statSync(name).mode & 0o777, 0o600, name.slice(file.length) || 'the file');
    }
    await storage.close();
  });

  it('has owner-only permissions from its creation, like a folder created for it', async () => {
    const before = process.umask(0);
    try {
      const file = `${dirname(newSqliteFile())}/made/for/it/vestibule.db`;
      await (await sqliteDatabase(file).open()).close();
      for (const folder of [dirname(file), dirname(dirname(file))])
        assert.equal(statSync(folder).mode & 0o777, 0o700, folder);
      // Opening fails once the file exists, so its mode is that of its creation.
      const halfWay = newSqliteFile();
      mkdirSync(`${halfWay}-wal`);
      await assert.rejects(sqliteDatabase(halfWay).open());
      assert.equal(statSync(halfWay).mode & 0o777, 0o600);
    } finally {
      process.umask(before);
    }
  });

  it('leaves the permissions of an existing folder unchanged', async () => {
    const file = newSqliteFile();
    const before = statSync(dirname(file)).mode;
    await (await sqliteDatabase(file).open()).close();
    assert.equal(statSync(dirname(file)).mode, before);
  });

  it('contains everything after a clean stop, without a WAL', async () => {
    const file = newSqliteFile();
    const storage = await sqliteDatabase(file).open();
    await register(storage, 'somebody', 'user', 1);
    await storage.close();
    assert.equal(existsSync(`${file}-wal`), false);
    assert.ok(readFileSync(file).includes('somebody'));
  });

  it('keeps no byte of a removed client', async () => {
    const file = newSqliteFile();
    const storage = await sqliteDatabase(file).open();
    const client = newClient({ id: 'gone-client', label: 'label-of-gone' });
    const secret = newSecret({ id: 'secret-of-gone', digest: Buffer.from('digest-of-gone') });
    await storage.clients.add(client, secret, anyLine);
    const traces = [client.id, client.label, 'secret-of-gone', 'digest-of-gone'];
    const kept = Buffer.concat([readFileSync(file), readFileSync(`${file}-wal`)]);
    for (const trace of traces) assert.ok(kept.includes(trace), `control: ${trace} is there at first`);
    await storage.clients.remove(client.id, anyLine);
    await storage.close();
    for (const trace of traces) assert.equal(readFileSync(file).includes(trace), false, trace);
  });
});

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
