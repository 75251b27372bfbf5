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
import { before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { OperatorError, Refusal } from '../../src/base/errors.ts';
import type { Storage, StoredRecord } from '../../src/storage/port.ts';
import { createStorage } from '../../src/storage/storage.ts';
import { addOne, insertAll, register } from '../support/databases/batches.ts';
import { anyKeys, newSqliteFile, openedAt, sqliteDatabase } from '../support/databases/databases.ts';
import { newRecord } from '../support/databases/records.ts';
import { assertCode } from '../support/http/code.ts';
import { request } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { deployment } from '../support/services/deployment.ts';
import { fileOf } from '../support/services/service.ts';

const declarations = {
  notes: 'schema: { properties: { text: { type: string, maxLength: 280 } } }',
};

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
