import assert from 'node:assert/strict';
import {
  copyFileSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { OperatorError, Refusal } from '../../src/base/errors.ts';
import type { Storage, StoredRecord } from '../../src/storage/port.ts';
import { createStorage } from '../../src/storage/storage.ts';
import { addOne, insertAll, register } from '../support/databases/batches.ts';
import { anyKeys, newSqliteFile, openedAt, sqliteDatabase } from '../support/databases/databases.ts';
import { beginOutside } from '../support/databases/outsider.ts';
import { newRecord } from '../support/databases/records.ts';
import { assertCode } from '../support/http/code.ts';
import { request } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { plainNotes } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';
import { clockedProcess, fileOf } from '../support/services/service.ts';
import { diskCalls, failCalls } from './failing-calls.ts';

const declarations = { notes: plainNotes(280) };

describe('an SQLite file changed during operation', () => {
  const one = deployment({ declarations });
  const file = () => fileOf(one().settings);
  const deeds: Record<string, () => void> = {
    'is deleted': () => rmSync(file()),
    'is replaced by another database': () => {
      copyFileSync(`${file()}.copy`, `${file()}.new`);
      renameSync(`${file()}.new`, file());
    },
    'is replaced by a file that is not a database': () => {
      rmSync(file());
      writeFileSync(file(), 'not a database '.repeat(500));
    },
  };

  for (const [name, deed] of Object.entries(deeds))
    it(`[F155] ${name}: dependent requests are refused, which is logged once, and work when it is back`, async () => {
      const caller = await one().person();
      const { record } = await caller.make('notes', { text: 'before' });
      assert.equal((await caller.get('/me')).status, 200);
      const lines = () =>
        one()
          .service.logLines()
          .filter(({ msg, requests }) => msg === 'requests are refused' && requests === 1);
      const before = lines().length;
      copyFileSync(file(), `${file()}.copy`);
      const kept = `${file()}.kept`;
      // A hard link keeps the same file, so that it can come back.
      rmSync(kept, { force: true });
      linkSync(file(), kept);
      deed();
      const read = () => caller.get(`/notes/${record.id}`);
      await until(read, ({ status }) => status === 503, 'reads do not notice');
      for (let count = 0; count < 5; count += 1) {
        assertCode(await caller.send('POST', '/notes', { text: 'lost' }), 'storage_unavailable');
        assertCode(await caller.get(`/notes/${record.id}`), 'storage_unavailable');
        assertCode(await caller.get('/notes'), 'storage_unavailable');
      }
      assert.equal((await caller.get('/me')).status, 200);
      const { opsUrl } = one().service;
      assert.equal((await request(`${opsUrl}/readyz`)).status, 503);
      assert.equal((await request(`${opsUrl}/livez`)).status, 200);
      assert.equal(lines().length, before + 1);
      renameSync(kept, file());
      const ready = () => request(`${opsUrl}/readyz`);
      await until(ready, ({ status }) => status === 200, 'it does not get ready');
      await caller.make('notes', { text: 'after' });
      const texts = (await caller.all('notes')).map(({ text }) => text);
      assert.deepEqual(texts.toSorted(), ['after', 'before']);
      // What was left out is told, and then the outage is over for the log.
      for (let count = 0; count < 2; count += 1) await one().advance(10_000);
    });
});

/** Every read of a damaged file gives its usual result or a refusal. */
describe('a damaged SQLite file', () => {
  const owner = 'usr_owner';
  const count = 40;
  const pageBytes = 4096;
  let file: string;
  let records: readonly StoredRecord[];
  before(async () => {
    file = newSqliteFile();
    const storage = await sqliteDatabase(file).open();
    await register(storage, owner, 'user', 1);
    records = Array.from({ length: count }, (_, index) =>
      newRecord({ owner, body: JSON.stringify({ text: `${index} `.repeat(200) }) }),
    );
    await insertAll(storage, records);
    await storage.close();
  });

  const copy = (): string => {
    const target = newSqliteFile();
    copyFileSync(file, target);
    return target;
  };
  const isClear = (error: unknown): boolean => {
    if (error instanceof OperatorError) return /^[^\n]+\.$/.test(error.message);
    return error instanceof Refusal && error.code === 'storage_unavailable';
  };
  /** "right", or "refused" with a clear message about the damage; anything else is a failure. */
  const askEverything = async (damaged: string): Promise<'right' | 'refused'> => {
    let storage: Storage;
    try {
      storage = await sqliteDatabase(damaged).open();
    } catch (error) {
      assert.ok(isClear(error), String(error));
      return 'refused';
    }
    try {
      const all = await storage.records.ofOwner(owner, null, count);
      assert.equal(all.length, count);
      for (const record of records)
        assert.deepEqual(await storage.records.find(record.collection, record.id), record);
      await addOne(storage, owner);
      return 'right';
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      assert.ok(isClear(error), String(error));
      return 'refused';
    } finally {
      await storage.close().catch(() => {});
    }
  };

  it('[F155] control: without damage it is read', async () => {
    assert.equal(await askEverything(copy()), 'right');
  });

  it('[F155] a flipped bit at the head of a page is detected or changes no answer', async (t) => {
    const bytes = readFileSync(file);
    const pages = bytes.length / pageBytes;
    const outcomes = { right: 0, refused: 0 };
    for (let page = 1; page < pages; page += 3) {
      const damaged = copy();
      const flipped = Buffer.from(bytes);
      flipped[page * pageBytes] = Number(flipped[page * pageBytes]) ^ 0x40;
      writeFileSync(damaged, flipped);
      outcomes[await askEverything(damaged)] += 1;
    }
    t.diagnostic(`every third of ${pages} pages: ${JSON.stringify(outcomes)}`);
    assert.ok(outcomes.refused > 2, JSON.stringify(outcomes));
  });

  it('[F155] a truncated file is refused wherever it ends', async () => {
    const { length } = readFileSync(file);
    for (const part of [0.25, 0.5, 0.75, 0.95]) {
      const damaged = copy();
      truncateSync(damaged, Math.floor((length * part) / pageBytes) * pageBytes);
      assert.equal(await askEverything(damaged), 'refused', `${part}`);
      const inThePage = copy();
      truncateSync(inThePage, Math.floor(length * part) + 7);
      assert.equal(await askEverything(inThePage), 'refused', `${part} and a few bytes`);
    }
  });

  it('[F154] a file at its size limit refuses larger writes, and accepts them when it may grow', async () => {
    const engine = await sqliteDatabase(copy()).openEngine();
    const storage = await createStorage(engine, openedAt, anyKeys);
    const pragma = (text: string) => sql.raw(`pragma ${text}`).execute(engine.database);
    await pragma('max_page_count = 1');
    const large = () => newRecord({ owner, body: JSON.stringify({ text: 'x'.repeat(20_000) }) });
    await assert.rejects(insertAll(storage, [large()]), (error) => {
      assert.ok(isClear(error), String(error));
      assert.match(String((error as Refusal).options.detail), /the disk is full/);
      return true;
    });
    assert.equal((await storage.records.ofOwner(owner, null, count)).length, count, 'reads go on');
    await pragma('max_page_count = 1000000');
    await insertAll(storage, [large()]);
    assert.equal((await storage.records.ofOwner(owner, null, count + 10)).length, count + 1);
    await storage.close();
  });
});

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

/** Longer than the lock timeout of a write (two seconds), for which a blocked thread would stop. */
const lockedMs = 5_000;
const stillMs = 1_000;

describe('an SQLite file locked by another program', () => {
  const one = deployment({ declarations });

  it('[F157] writes are refused in time, reads go on, and the event loop is not blocked', async () => {
    const caller = await one().person();
    const { record } = await caller.make('notes', { text: 'before' });
    const outsider = await beginOutside(fileOf(one().settings));
    const delays: number[] = [];
    let refused = 0;
    let isOver = false;
    const writing = (async () => {
      while (!isOver) {
        assertCode(await caller.send('POST', '/notes', { text: 'during' }), 'storage_unavailable');
        refused += 1;
      }
    })();
    const until = performance.now() + lockedMs;
    while (performance.now() < until) {
      const from = performance.now();
      assert.equal((await caller.get(`/notes/${record.id}`)).status, 200);
      delays.push(performance.now() - from);
      await pause(20);
    }
    isOver = true;
    await writing;
    await outsider.commit();
    assert.ok(refused >= 2, `${refused} writes refused`);
    assert.ok(Math.max(...delays) < stillMs, `a read took ${Math.max(...delays)} ms`);
    const lag = /^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(await one().service.metrics());
    assert.ok(Number(lag?.[1]) * 1000 < stillMs, `the event loop stood still for ${lag?.[1]} s`);
    await caller.make('notes', { text: 'after' });
    assert.equal((await caller.all('notes')).length, 2);
  });
});
