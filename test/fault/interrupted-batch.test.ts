import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Refusal } from '../../src/base/errors.ts';
import type { Storage } from '../../src/storage/port.ts';
import { SqliteThread } from '../../src/storage/sqlite/thread.ts';
import { addOne, batchesOf, register } from '../support/databases/batches.ts';
import { newSqliteFile, postgresDatabase, sqliteDatabase } from '../support/databases/databases.ts';
import { beginOutside } from '../support/databases/outsider.ts';
import { createDatabase } from '../support/databases/postgres.ts';
import { newRecord } from '../support/databases/records.ts';
import { assertCode } from '../support/http/code.ts';
import { until } from '../support/run/polling.ts';
import { plainNotes } from '../support/services/declarations.ts';
import { atOnce, deployment } from '../support/services/deployment.ts';
import { clockedProcess } from '../support/services/service.ts';
import { diskCalls, failCalls } from './failing-calls.ts';
import { payload } from './fault-on-signal.ts';

const isUnavailable = (error: unknown) => error instanceof Refusal && error.code === 'storage_unavailable';
const owner = 'usr_owner';

/** A caller who has one record already. */
async function withOwner(storage: Storage): Promise<Storage> {
  await register(storage, owner, 'user', 1);
  await addOne(storage, owner);
  return storage;
}

const recordsOf = async ({ records }: Storage) => (await records.ofOwner(owner, null, 10)).length;

describe('a PostgreSQL batch whose session ends in the middle', () => {
  const moments = {
    'while it loads': `update consumers set state = state where id = '${owner}'`,
    'while it is applied': `update usage set writes = writes where owner = '${owner}'`,
  };
  for (const [when, locking] of Object.entries(moments)) {
    it(`[F162] ${when}: is refused without effect and succeeds when repeated`, async () => {
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
  it('[F155] is refused while the file is missing or replaced, and succeeds when it is back', async () => {
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

  it('is refused when the writer thread has ended, like all waiting and later batches', async () => {
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

  it('a started batch is done before the storage closes', async () => {
    const file = newSqliteFile();
    const storage = await withOwner(await sqliteDatabase(file).open());
    const record = newRecord({ owner });
    const batches = await batchesOf(storage);
    const adding = batches.run([{ kind: 'plain', keys: {}, changes: { newRecords: [record] } }]);
    // In the next turn of the event loop the batch is on its way to the thread.
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([adding, storage.close()]);
    assert.equal(existsSync(`${file}-wal`), false);
    const next = await sqliteDatabase(file).open();
    assert.equal(await recordsOf(next), 2);
    await next.close();
  });
});

describe('the SQLite writer thread', () => {
  it('rejects statements with "closed" during and after closing', async () => {
    const thread = await SqliteThread.open(newSqliteFile());
    const closing = thread.close();
    await assert.rejects(thread.run('select 1', []), /the connection is closed/);
    await closing;
    await assert.rejects(thread.run('select 1', []), /the connection is closed/);
    await assert.rejects(
      thread.runBatch([], () => {}),
      /the connection is closed/,
    );
  });
});

describe('writes of a process', () => {
  const NODE_OPTIONS = '--import ./test/fault/fault-on-signal.ts';
  const overrides = { ...clockedProcess, NODE_OPTIONS, TEST_FAULT: 'exception' };
  const one = deployment({ declarations: { notes: plainNotes(280) }, settings: overrides });
  const endings = [
    { how: '[F150] is killed', signal: 'SIGKILL', end: [null, 'SIGKILL'], errors: 0 },
    { how: '[F168] ends by an uncaught error', signal: 'SIGUSR2', end: [1, null], errors: 1 },
    { how: '[F159] is told to stop', signal: 'SIGTERM', end: [0, null], errors: 0 },
  ] as const;
  for (const { how, signal, end, errors } of endings)
    it(`${how}: all acknowledged writes are there after the restart`, async () => {
      const service = one().service;
      const caller = await one().person();
      const acknowledged: string[] = [];
      const writing = atOnce(8, async () => {
        for (;;) {
          const reply = await caller.send('POST', '/notes', {}).catch(() => null);
          if (reply === null) return;
          if (reply.status === 201) acknowledged.push(reply.json<{ id: string }>().id);
        }
      });
      const written = () => acknowledged.length;
      await until(written, (count) => count >= 50, 'too few writes are done');
      const ended = once(service.process, 'close');
      service.process.kill(signal);
      assert.deepEqual(await ended, end);
      await writing;
      const alarms = () => service.logLines().filter(({ level }) => Number(level) >= 50);
      const lines = await until(alarms, ({ length }) => length === errors, 'not every error is logged once');
      assert.equal(JSON.stringify(lines).includes(payload), false);
      await one().restart();
      const again = caller.at(one().service);
      const found = new Set((await again.all('notes')).map(({ id }) => id));
      const lost = acknowledged.filter((id) => !found.has(id));
      assert.deepEqual(lost, []);
      assert.equal((await again.usage('notes')).records.used, found.size);
    });

  it('[F153] are refused in full while the disk fails, and succeed afterwards', async () => {
    const caller = await one().person();
    const made = [(await caller.make('notes', {})).record.id];
    const { pid } = one().service.process;
    const end = await failCalls(Number(pid), { calls: diskCalls, error: 'EIO', when: '1+' });
    assertCode(await caller.send('POST', '/notes', {}), 'storage_unavailable');
    assert.ok((await end()) > 0, 'control: calls have failed');
    made.push((await caller.make('notes', {})).record.id);
    const found = (await caller.all('notes')).map(({ id }) => id);
    assert.deepEqual(found.toSorted(), made.toSorted());
    assert.equal((await caller.usage('notes')).records.used, made.length);
  });
});
