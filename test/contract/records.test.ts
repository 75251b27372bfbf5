import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { NewHistoryEntry, Storage, StoredRecord } from '../../src/storage/port.ts';
import {
  apply,
  changeIfStill,
  insertAll,
  insertUnlessTaken,
  load,
  setUsage,
} from '../support/databases/batches.ts';
import { openedAt, openTwice, storageKinds, type TestDatabase } from '../support/databases/databases.ts';
import { newRecord, noUsage, oddTexts, untold } from '../support/databases/records.ts';

/** Bodies that a database might parse, sort, round or normalise. */
const oddBodies = [
  '{}',
  '{"b":1,"a":2}',
  '{"n":[0,-0,1.0,1e2,1E+2,0.1,5e-324,1.7976931348623157e308,9007199254740991,-9007199254740991]}',
  '{ "spaces" : [ 1 , 2 ] }',
  '{"escaped":"\\u00e9\\/\\ud83d\\ude00"}',
  '{"plain":"\u00e9 e\u0301 \u{1f600} \uffff \u2028 \u007f"}',
  `{"${'a'.repeat(2_000)}":"${'\u{1f469}'.repeat(4_000)}"}`,
  JSON.stringify(Object.fromEntries(oddTexts.map((text, index) => [`${index} ${text}`, text]))),
];

const byName = (records: readonly StoredRecord[]) =>
  new Map(records.map((record) => [`${record.collection} ${record.id}`, record]));

for (const engine of storageKinds) {
  describe(`the storage contract of records on ${engine}`, () => {
    let database: TestDatabase;
    let storage: Storage;
    let neighbour: Storage;
    openTwice(engine, (opened) => {
      ({ database, storage, neighbour } = opened);
    });

    describe('one record', () => {
      it('is found as inserted, at once and through every connection', async () => {
        const record = newRecord({ state: 'draft', createdAt: 1, updatedAt: 253_402_300_799_999 });
        assert.equal(await storage.records.find(record.collection, record.id), null);
        await insertAll(storage, [record]);
        assert.deepEqual(await storage.records.find(record.collection, record.id), record);
        assert.deepEqual(await neighbour.records.find(record.collection, record.id), record);
        assert.deepEqual((await load(neighbour, { records: [record] })).records, [record]);
      });

      it('keeps its body byte for byte', async () => {
        for (const body of oddBodies) {
          const record = newRecord({ body });
          await insertAll(storage, [record]);
          assert.equal((await neighbour.records.find('notes', record.id))?.body, body);
          const changed = { ...record, body: `[${body}]` };
          await apply(storage, { changedRecords: [changed] });
          assert.deepEqual(await neighbour.records.find('notes', record.id), changed);
        }
      });

      it('is kept apart from records whose names differ in one byte', async () => {
        const prefix = randomUUID();
        const records = oddTexts.flatMap((text) => {
          const odd = `${prefix}${text}`.slice(0, 500);
          return [newRecord({ id: odd, owner: odd }), newRecord({ collection: odd, id: 'x', state: odd })];
        });
        await insertAll(storage, records);
        for (const record of records) {
          assert.deepEqual(await neighbour.records.find(record.collection, record.id), record);
        }
        assert.deepEqual(byName((await load(neighbour, { records })).records), byName(records));
        for (const text of ['ALICE', '%li%']) {
          const name = { collection: 'notes', id: `${prefix}${text}` };
          assert.equal(await storage.records.find(name.collection, name.id), null);
          assert.deepEqual((await load(storage, { records: [name] })).records, []);
        }
      });

      it('is not inserted under a used id, whoever its owner is; the first one stays', async () => {
        const first = newRecord();
        await insertAll(storage, [first]);
        const second = newRecord({ id: first.id, owner: 'usr_other' });
        assert.equal(await insertUnlessTaken(neighbour, second), false);
        await assert.rejects(insertAll(neighbour, [second]), /unique/i);
        assert.deepEqual(await storage.records.find('notes', first.id), first);
        const elsewhere = newRecord({ id: first.id, collection: 'elsewhere' });
        assert.equal(await insertUnlessTaken(storage, elsewhere), true);
      });

      it('is inserted once when twenty come at the same time with its id', async () => {
        const id = randomUUID();
        const tries = Array.from({ length: 20 }, (_, index) =>
          insertUnlessTaken(index % 2 === 0 ? storage : neighbour, newRecord({ id })),
        );
        assert.equal((await Promise.all(tries)).filter((isFirst) => isFirst).length, 1);
      });

      it('changes all its columns, also its size, and no other record changes', async () => {
        const [record, bystander] = [newRecord(), newRecord()];
        const twin = newRecord({ id: record.id, collection: 'elsewhere' });
        await insertAll(storage, [record, bystander, twin]);
        const owner = randomUUID();
        const times = { createdAt: openedAt + 8, updatedAt: openedAt + 9 };
        const changed = { ...record, owner, state: 'open', revision: 'r2', ...times, body: '{"a":"\u00e9"}' };
        assert.equal(await changeIfStill(storage, record.revision, changed), true);
        assert.deepEqual(await neighbour.records.find('notes', record.id), changed);
        assert.deepEqual(await neighbour.records.find('notes', bystander.id), bystander);
        assert.deepEqual(await neighbour.records.find('elsewhere', record.id), twin);
        const [row] = await database.query(`select bytes from records where owner = '${owner}'`);
        assert.equal(Number(row?.bytes), Buffer.byteLength(changed.body));
      });

      it('is removed, and its id can be used again', async () => {
        const [record, bystander] = [newRecord(), newRecord()];
        await insertAll(storage, [record, bystander]);
        await apply(storage, { removedRecords: [{ collection: 'elsewhere', id: record.id }] });
        assert.notEqual(await storage.records.find('notes', record.id), null);
        await apply(storage, { removedRecords: [record] });
        assert.equal(await neighbour.records.find('notes', record.id), null);
        assert.deepEqual(await neighbour.records.find('notes', bystander.id), bystander);
        assert.equal(await insertUnlessTaken(storage, record), true);
      });
    });

    describe('history', () => {
      const step = (record: StoredRecord, action: string, changes: Partial<NewHistoryEntry> = {}) => {
        const { collection, id: recordId } = record;
        const entry = { collection, recordId, at: openedAt, action, fromState: null, toState: 'open' };
        return { ...entry, role: 'owner', ...changes };
      };
      const read = async (...records: readonly StoredRecord[]) => {
        const ids = records.map(({ id }) => id);
        return neighbour.records.history('notes', ids, null, 10_000);
      };

      it('is numbered from 1 in each record and read in pages', async () => {
        const [one, other] = [newRecord({ state: 'open' }), newRecord({ state: 'open' })];
        const [create, theirs] = [step(one, 'create'), step(other, 'create')];
        const update = step(one, 'update', { fromState: 'open' });
        await apply(storage, { newRecords: [one, other], history: [create, theirs, update] });
        const moved = step(one, 'moved_up', { fromState: 'open', toState: null, role: null });
        await apply(storage, { history: [moved] });
        const expected = [create, update, moved].map((entry, index) => ({ ...entry, n: index + 1 }));
        assert.deepEqual(await read(one), expected);
        const entry = { ...theirs, n: 1 };
        assert.deepEqual(await read(other), [entry]);
        assert.deepEqual(new Set(await read(one, other)), new Set([...expected, entry]));
        const page = await storage.records.history('notes', [one.id], { recordId: one.id, n: 1 }, 1);
        assert.deepEqual(page, expected.slice(1, 2));
        assert.deepEqual(await storage.records.history('elsewhere', [one.id], null, 10), []);
        const both = await read(one, other);
        const rest = await storage.records.history('notes', [other.id, one.id], both[0] ?? null, 10);
        assert.deepEqual(rest, both.slice(1));
        assert.deepEqual(await read(), []);
      });

      it('keeps the last 1,000 entries of a record, and is deleted with it', async () => {
        const record = newRecord({ state: 'open', updatedAt: 1 });
        const some = Array.from({ length: 600 }, () => step(record, 'update'));
        await apply(storage, { newRecords: [record], history: some });
        await apply(storage, { history: some });
        const kept = await read(record);
        assert.deepEqual([kept.length, kept[0]?.n, kept.at(-1)?.n], [1_000, 201, 1_200]);
        await apply(storage, { removedRecords: [record] });
        assert.deepEqual(await read(record), []);
        await insertAll(storage, [record]);
        await apply(storage, { history: [step(record, 'create')] });
        assert.equal((await read(record)).map(({ n }) => n).join(), '1');
        assert.equal(await storage.records.expire('notes', 1, 10, untold), 1);
        assert.deepEqual(await read(record), []);
      });
    });

    describe('usage', () => {
      it('is empty for an owner without records, and otherwise as last set', async () => {
        const owner = randomUUID();
        const used = { records: 1, writes: 2, writesSince: openedAt, newcomerWrites: 3, newcomerSince: 4 };
        assert.deepEqual(await storage.records.usage(owner), new Map());
        assert.deepEqual((await load(storage, { usage: [{ owner, collection: 'notes' }] })).usage, []);
        await setUsage(storage, owner, 'notes', used);
        await setUsage(storage, owner, 'notes', { ...used, records: 7 });
        await setUsage(storage, owner, 'odd %', noUsage);
        await setUsage(neighbour, owner, 'notes', { ...used, records: 9, writes: 0 });
        const kept = { notes: { ...used, records: 9, writes: 0 }, 'odd %': noUsage };
        assert.deepEqual(await storage.records.usage(owner), new Map(Object.entries(kept)));
        assert.deepEqual(await storage.records.usage(`${owner} `), new Map());
      });
    });
  });
}
