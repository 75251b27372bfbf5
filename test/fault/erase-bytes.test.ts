import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { AuditEntry, Storage, StoredRecord } from '../../src/storage/port.ts';
import { apply, insertAll, newIdempotencyKey, register, setUsage } from '../support/databases/batches.ts';
import {
  createTestDatabase,
  newSqliteFile,
  openedAt,
  sqliteDatabase,
} from '../support/databases/databases.ts';
import { erasureOf, newEvent, newLine, newRecord, noUsage } from '../support/databases/records.ts';
import { until } from '../support/run/polling.ts';
import { PseudoRandom } from '../support/run/pseudo-random.ts';
import { surroundings } from '../support/run/surroundings.ts';

/** A mark in all data of the caller, and nowhere else. */
const mark = 'ErasedCaller';
const caller = `usr_${mark}`;
const declared = {
  name: 'notes',
  index: [
    { name: 'word', kind: 'text' },
    { name: 'size', kind: 'number' },
  ],
} as const;

describe('records deleted by their owner', () => {
  it('leave nothing in a small SQLite file or its WAL after the hourly scrub', async () => {
    const file = newSqliteFile();
    const storage = await sqliteDatabase(file).open();
    const random = new PseudoRandom(35);
    const bodyOf = (text: string) => JSON.stringify({ note: text.repeat(1 + random.below(30)) });
    const created = Array.from({ length: 400 }, (_, index) =>
      newRecord({ owner: 'usr_other', fields: { note: index % 2 === 0 ? mark : 'other' } }),
    );
    await register(storage, 'usr_other', 'user', openedAt);
    await insertAll(storage, created);
    const deleted = created.filter(({ body }) => body.includes(mark));
    for (let from = 0; from < deleted.length; from += 20) {
      const some = deleted.slice(from, from + 20);
      // A row that grows moves to another page, and leaves a copy.
      await apply(storage, { changedRecords: some.map((record) => ({ ...record, body: bodyOf(mark) })) });
      await apply(storage, { removedRecords: some });
    }
    assert.equal(await storage.records.copiesLeft(), 'deletions');
    assert.ok(marksIn(file) > 0, 'control: copies are left at first');
    await storage.records.scrub('quickly');
    assert.deepEqual([marksIn(file), await storage.records.copiesLeft()], [0, 'nothing']);
    assert.ok(readFileSync(file).includes('other'), 'control: other records are still there');
    await storage.close();
  });
});

describe('after the erasure of a caller', () => {
  it('no byte of it is left in the SQLite file or its WAL, even of moved records', async () => {
    const file = newSqliteFile();
    const storage = await sqliteDatabase(file).open();
    await leadALife(storage);
    assert.ok(marksIn(file) > 100, 'control: it is there at first');
    const erased = await erase(storage, newLine({ subject: 'somebody' }));
    assert.ok((erased?.records.notes ?? 0) > 50 && erased?.idempotencyKeys === 1);
    assert.equal(existsSync(`${file}-wal`) ? readFileSync(`${file}-wal`).length : 0, 0, 'the log is empty');
    await storage.records.scrub();
    assert.equal(marksIn(file), 0);
    assert.ok(readFileSync(file).includes('usr_other'), 'control: others are still there');
    const [integrity] = await sqliteDatabase(file).query('pragma integrity_check');
    assert.equal(integrity?.integrity_check, 'ok');
    await storage.close();
    assert.equal(marksIn(file), 0);
  });

  it('the next process scrubs what a stopped process has left', async () => {
    const file = newSqliteFile();
    const first = await sqliteDatabase(file).open();
    await leadALife(first);
    await erase(first, null);
    await first.close();
    const second = await sqliteDatabase(file).open();
    await second.records.scrub();
    assert.equal(marksIn(file), 0);
    const sizeOfLog = () => (existsSync(`${file}-wal`) ? readFileSync(`${file}-wal`).length : 0);
    const before = sizeOfLog();
    await second.records.scrub();
    assert.equal(sizeOfLog(), before, 'and the one after that has nothing to do');
    await second.close();
  });

  it('a file too large to scrub in the background waits for the operator and reports that', async () => {
    const file = newSqliteFile();
    const storage = await sqliteDatabase(file).open();
    await leadALife(storage);
    const note = 'other'.repeat(200);
    await insertAll(
      storage,
      Array.from({ length: 9_000 }, () => newRecord({ owner: 'usr_other0', fields: { note } })),
    );
    assert.equal(await storage.records.copiesLeft(), 'deletions');
    await erase(storage, null);
    const freePages = async () =>
      Number((await sqliteDatabase(file).query('pragma freelist_count'))[0]?.freelist_count);
    const before = await freePages();
    assert.ok(before > 0, 'control: the file would be smaller if it were written anew');
    await storage.records.scrub('quickly');
    assert.deepEqual([await freePages(), await storage.records.copiesLeft()], [before, 'erasures']);
    await storage.records.scrub('whatever it takes');
    assert.deepEqual([await freePages(), await storage.records.copiesLeft()], [0, 'nothing']);
    assert.equal(marksIn(file), 0);
    await storage.close();
  });

  it('a scrub that fails because of another connection succeeds later', async () => {
    const file = newSqliteFile();
    const storage = await sqliteDatabase(file).open();
    await leadALife(storage);
    await erase(storage, null);
    const neighbour = await sqliteDatabase(file).openEngine();
    await neighbour.database.transaction().execute(async () => {
      await assert.rejects(storage.records.scrub());
    });
    await storage.records.scrub();
    assert.equal(marksIn(file), 0);
    await neighbour.close();
    await storage.close();
  });

  it('nothing of it is left in any table of PostgreSQL', async () => {
    const database = await createTestDatabase('postgres');
    const storage = await database.open();
    await leadALife(storage);
    const holding = async () => {
      const found: string[] = [];
      for (const table of await database.tables()) {
        const rows = await database.query(
          `select 1 from ${table} as row where row::text like '%${mark}%' limit 1`,
        );
        if (rows.length > 0) found.push(table);
      }
      return found;
    };
    assert.deepEqual(
      await holding(),
      ['consumers', 'events', 'idempotency_keys', 'record_history', 'records', 'usage'],
      'control',
    );
    await erase(storage, newLine({ subject: 'somebody' }));
    await storage.records.scrub();
    assert.deepEqual(await holding(), []);
    await storage.close();
  });

  it('no byte of it is left in the table files of PostgreSQL after the operator rewrites them', async () => {
    const database = await createTestDatabase('postgres');
    const storage = await database.open();
    await leadALife(storage);
    const [found] = await database.query('select oid from pg_database where datname = current_database()');
    const folder = `${surroundings().runDirectory}/postgres/base/${found?.oid}`;
    const marksInFiles = async () => {
      await database.query('checkpoint');
      // pg_internal.init is a cache without rows, which the server deletes and makes again.
      const files = readdirSync(folder).filter((name) => name !== 'pg_internal.init');
      return files.reduce((sum, name) => sum + marksOf(readFileSync(`${folder}/${name}`)), 0);
    };
    assert.ok((await marksInFiles()) > 100, 'control: it is there at first');
    await erase(storage, newLine({ subject: 'somebody' }));
    await storage.records.scrub();
    await storage.close();
    // As docs/operations.md says; open transactions of other tests keep what was deleted after they began.
    const rewrite = async () => {
      await database.query('analyze');
      await database.query('vacuum full');
      return marksInFiles();
    };
    await until(rewrite, 0, 'bytes of the caller are left');
  });
});

/**
 * For a while the log has an event that says that a caller was erased, with its pseudonym, so that receivers erase it, too.
 * Here the log has gone on and that event is pruned.
 */
async function erase(storage: Storage, audit: AuditEntry | null) {
  const erased = await storage.records.erase(caller, audit, erasureOf(caller));
  const [last, ...others] = (await storage.events.list({ ...wholeLog, owner: caller })).toReversed();
  assert.deepEqual([last?.type, others], ['consumer.erased', []], 'nothing else is told of it any more');
  await apply(storage, { events: [newEvent(0, { owner: 'usr_other', at: openedAt + 1e9 })] });
  await storage.events.prune({ before: openedAt + 1e9, ahead: 1e15 }, 1e6);
  return erased;
}

const wholeLog = { after: 0, until: Number.MAX_SAFE_INTEGER, limit: 1e6 };

/** A few thousand inserts, changes and removals of many callers, so that rows are moved between pages again and again. */
async function leadALife(storage: Storage): Promise<void> {
  const random = new PseudoRandom(20);
  const owners = [caller, ...Array.from({ length: 15 }, (_, index) => `usr_other${index}`)];
  const alive: StoredRecord[] = [];
  const fieldsOf = (owner: string) => {
    const text = owner === caller ? mark : 'other';
    return {
      word: `${text}${random.bytes(8 + random.below(40)).toString('hex')}`,
      size: random.next(),
      note: text.repeat(random.below(random.below(8) === 0 ? 900 : 40)),
    };
  };
  await storage.records.prepare([declared]);
  for (const owner of owners) await register(storage, owner, 'user', openedAt);
  for (let round = 0; round < 200; round += 1) {
    // Those that a batch has touched already are left alone by the rest of it.
    const changes = { newRecords: [], changedRecords: [], removedRecords: [] } as Record<
      string,
      StoredRecord[]
    >;
    for (let step = 0; step < 20; step += 1) {
      const chosen = alive.splice(random.below(alive.length), 1)[0];
      const what = random.next();
      if (chosen === undefined || what < 0.6) {
        const owner = random.pick(owners);
        const id = `${owner === caller ? mark : 'other'}${random.bytes(12).toString('hex')}`;
        changes.newRecords?.push(
          newRecord({ id, owner, createdAt: random.below(1e9), fields: fieldsOf(owner) }),
        );
        if (chosen !== undefined) alive.push(chosen);
      } else if (what < 0.85) {
        changes.changedRecords?.push({ ...chosen, body: JSON.stringify(fieldsOf(chosen.owner)) });
      } else changes.removedRecords?.push(chosen);
    }
    const told = Object.values(changes)
      .flat()
      .map(({ id, owner, body }) => newEvent(round, { owner, recordId: id, data: body }));
    const history = (changes.newRecords ?? []).map(({ collection, id: recordId }) => {
      return {
        collection,
        recordId,
        at: round,
        action: 'create',
        fromState: null,
        toState: null,
        role: 'owner',
      };
    });
    await apply(storage, { ...changes, history, events: told });
    alive.push(...(changes.newRecords ?? []), ...(changes.changedRecords ?? []));
  }
  await setUsage(storage, caller, 'notes', { ...noUsage, records: 1 });
  const digest = Buffer.from(mark);
  const key = { keyDigest: digest, requestDigest: digest, recordIds: mark };
  await apply(storage, { idempotencyKeys: [newIdempotencyKey({ owner: caller, ...key })] });
}

/** The number of marks in the file and its WAL. */
function marksIn(file: string): number {
  const files = [file, `${file}-wal`, `${file}-shm`].filter((name) => existsSync(name));
  return files.reduce((sum, name) => sum + marksOf(readFileSync(name)), 0);
}

function marksOf(bytes: Buffer): number {
  return bytes.toString('latin1').split(mark).length - 1;
}
