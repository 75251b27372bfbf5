import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { Refusal } from '../../src/base/errors.ts';
import type { Storage } from '../../src/storage/port.ts';
import { createTestDatabase, openedAt, type TestDatabase } from '../support/databases.ts';
import { anyLine, insertAll, newQuery, newRecord, noUsage, oddTexts } from '../support/records.ts';
import { databaseEngines } from '../support/service.ts';

/** Bodies that a database could be tempted to read, sort, round or tidy up. */
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

for (const engine of databaseEngines) {
  describe(`records, by the storage contract on ${engine}`, () => {
    let database: TestDatabase;
    let storage: Storage;
    /** A second process, as far as the database can tell. */
    let neighbour: Storage;
    before(async () => {
      database = await createTestDatabase(engine);
      storage = await database.open();
      neighbour = await database.open();
    });
    after(async () => {
      await neighbour.close();
      await storage.close();
    });

    describe('one record', () => {
      it('is found as it was inserted, at once and through every connection', async () => {
        const record = newRecord({ state: 'draft', createdAt: 1, updatedAt: 253_402_300_799_999 });
        assert.equal(await storage.records.find(record.collection, record.id), null);
        assert.equal(await storage.records.write((write) => write.insert(record)), true);
        assert.deepEqual(await storage.records.find(record.collection, record.id), record);
        assert.deepEqual(await neighbour.records.find(record.collection, record.id), record);
        assert.deepEqual(
          await neighbour.records.write((write) => write.find(record.collection, record.id)),
          record,
        );
      });

      it('keeps its body byte for byte', async () => {
        for (const body of oddBodies) {
          const record = newRecord({ body });
          await insertAll(storage.records, [record]);
          assert.equal((await neighbour.records.find('notes', record.id))?.body, body);
        }
      });

      it('keeps apart names that differ in one byte', async () => {
        const prefix = randomUUID();
        const records = oddTexts.flatMap((text) => {
          const odd = `${prefix}${text}`.slice(0, 500);
          return [newRecord({ id: odd, owner: odd }), newRecord({ collection: odd, id: 'x', state: odd })];
        });
        await insertAll(storage.records, records);
        for (const record of records) {
          assert.deepEqual(await neighbour.records.find(record.collection, record.id), record);
        }
        assert.equal(await storage.records.find('notes', `${prefix}ALICE`), null);
        assert.equal(await storage.records.find('notes', `${prefix}%li%`), null);
      });

      it('of a taken id is not inserted, whoever owns it, and the first one stays', async () => {
        const first = newRecord();
        await insertAll(storage.records, [first]);
        const second = newRecord({ id: first.id, owner: 'usr_other' });
        assert.equal(await neighbour.records.write((write) => write.insert(second)), false);
        assert.deepEqual(await storage.records.find('notes', first.id), first);
        const elsewhere = newRecord({ id: first.id, collection: 'elsewhere' });
        assert.equal(await storage.records.write((write) => write.insert(elsewhere)), true);
      });

      it('is inserted once when twenty come at once with its id', async () => {
        const id = randomUUID();
        const tries = Array.from({ length: 20 }, (_, index) =>
          (index % 2 === 0 ? storage : neighbour).records.write((write) => write.insert(newRecord({ id }))),
        );
        assert.equal((await Promise.all(tries)).filter((isFirst) => isFirst).length, 1);
      });

      it('changes in state, revision, time and fields, and in nothing else', async () => {
        const [record, bystander] = [newRecord(), newRecord()];
        await insertAll(storage.records, [record, bystander]);
        const changed = {
          ...record,
          state: 'open',
          revision: 'r2',
          updatedAt: openedAt + 9,
          body: '{"a":1}',
        };
        await storage.records.write((write) =>
          write.update({ ...changed, owner: 'usr_thief', createdAt: openedAt + 9 }),
        );
        assert.deepEqual(await neighbour.records.find('notes', record.id), changed);
        assert.deepEqual(await neighbour.records.find('notes', bystander.id), bystander);
      });

      it('is removed, and its id is free again', async () => {
        const [record, bystander] = [newRecord(), newRecord()];
        await insertAll(storage.records, [record, bystander]);
        await storage.records.write((write) => write.remove('elsewhere', record.id));
        assert.notEqual(await storage.records.find('notes', record.id), null);
        await storage.records.write((write) => write.remove('notes', record.id));
        assert.equal(await neighbour.records.find('notes', record.id), null);
        assert.deepEqual(await neighbour.records.find('notes', bystander.id), bystander);
        assert.equal(await storage.records.write((write) => write.insert(record)), true);
      });
    });

    describe('usage', () => {
      it('is nothing for an owner without any, and what was last set for the others', async () => {
        const owner = randomUUID();
        const used = { records: 1, writes: 2, writesSince: openedAt, newcomerWrites: 3, newcomerSince: 4 };
        assert.deepEqual(await storage.records.usage(owner), new Map());
        await storage.records.write(async (write) => {
          assert.deepEqual(await write.usage(owner, 'notes'), noUsage);
          await write.setUsage(owner, 'notes', noUsage, used);
          assert.deepEqual(await write.usage(owner, 'notes'), used);
          await write.setUsage(owner, 'notes', used, { ...used, records: 7 });
          await write.setUsage(owner, 'odd %', noUsage, noUsage);
        });
        await neighbour.records.write(async (write) => {
          const usage = await write.usage(owner, 'notes');
          await write.setUsage(owner, 'notes', usage, { ...usage, records: usage.records + 2, writes: 0 });
        });
        assert.deepEqual(
          await storage.records.usage(owner),
          new Map([
            ['notes', { ...used, records: 9, writes: 0 }],
            ['odd %', noUsage],
          ]),
        );
        assert.deepEqual(await storage.records.usage(`${owner} `), new Map());
      });

      it('loses one for a record that somebody else removed, and is never less than nothing', async () => {
        const owner = randomUUID();
        const countOf = async () => (await storage.records.usage(owner)).get('notes')?.records;
        await storage.records.write((write) =>
          write.setUsage(owner, 'notes', noUsage, { ...noUsage, records: 2 }),
        );
        for (const left of [1, 0, 0]) {
          await neighbour.records.write((write) => write.releaseRecord(owner, 'notes'));
          assert.equal(await countOf(), left);
        }
        await storage.records.write((write) => write.releaseRecord(randomUUID(), 'notes'));
      });
    });

    describe('idempotency keys', () => {
      const digest = () => new Uint8Array(randomBytes(32));

      it('are found until they expire, by their owner and in their collection', async () => {
        const [owner, key] = [randomUUID(), digest()];
        const used = { requestDigest: digest(), recordId: randomUUID() };
        await storage.records.write((write) => write.useIdempotencyKey(owner, 'notes', key, used, 1_000));
        await neighbour.records.write(async (write) => {
          assert.deepEqual(await write.findIdempotencyKey(owner, 'notes', key, 999), used);
          assert.equal(await write.findIdempotencyKey(owner, 'notes', key, 1_000), null);
          assert.equal(await write.findIdempotencyKey(owner, 'notes', digest(), 999), null);
          assert.equal(await write.findIdempotencyKey(owner, 'other', key, 999), null);
          assert.equal(await write.findIdempotencyKey(randomUUID(), 'notes', key, 999), null);
        });
      });

      it('can be used again when they have expired but are still there', async () => {
        const [owner, key] = [randomUUID(), digest()];
        const [first, second] = [1, 2].map(() => ({ requestDigest: digest(), recordId: randomUUID() }));
        assert.ok(first !== undefined && second !== undefined);
        await storage.records.write((write) => write.useIdempotencyKey(owner, 'notes', key, first, 1_000));
        await storage.records.write((write) => write.useIdempotencyKey(owner, 'notes', key, second, 2_000));
        const found = await storage.records.write((write) =>
          write.findIdempotencyKey(owner, 'notes', key, 1_500),
        );
        assert.deepEqual(found, second);
      });

      it('are forgotten once they have expired', async () => {
        const fresh = await createTestDatabase(engine).then((empty) => empty.open());
        const used = { requestDigest: digest(), recordId: 'x' };
        await fresh.records.write(async (write) => {
          for (const expiresAt of [1_000, 1_001, 1_002]) {
            await write.useIdempotencyKey('usr_x', 'notes', digest(), used, expiresAt);
          }
        });
        assert.equal(await fresh.records.expireIdempotencyKeys(999), 0);
        assert.equal(await fresh.records.expireIdempotencyKeys(1_001), 2);
        assert.equal(await fresh.records.expireIdempotencyKeys(9_999), 1);
        await fresh.close();
      });
    });

    describe('newcomers', () => {
      it('are the users registered since then, counted no further than asked', async () => {
        const fresh = await createTestDatabase(engine).then((empty) => empty.open());
        for (const time of [10, 20, 20, 30]) await fresh.consumers.register(randomUUID(), 'user', time);
        await fresh.consumers.register(randomUUID(), 'client', 30);
        const count = (since: number, atMost: number) =>
          fresh.records.write((write) => write.countNewcomers(since, atMost));
        assert.equal(await count(0, 100), 4);
        assert.equal(await count(20, 100), 3);
        assert.equal(await count(21, 100), 1);
        assert.equal(await count(31, 100), 0);
        assert.equal(await count(0, 2), 2);
        await fresh.close();
      });
    });

    it('rejects every question with storage_unavailable once it is closed', async () => {
      const { records, close } = await createTestDatabase(engine).then((empty) => empty.open());
      await close();
      const questions: Record<string, () => Promise<unknown>> = {
        prepare: () => records.prepare([]),
        find: () => records.find('x', 'x'),
        list: () => records.list(newQuery()),
        sizes: () => records.sizes(newQuery()),
        placeAfter: () => records.placeAfter(newQuery(), 1),
        usage: () => records.usage('x'),
        ofOwner: () => records.ofOwner('x', null, 1),
        ofCollection: () => records.ofCollection('x', '', 1),
        counts: () => records.counts(),
        write: () => records.write(async () => {}),
        expire: () => records.expire('x', 1, 1),
        expireIdempotencyKeys: () => records.expireIdempotencyKeys(1),
        expireSpentBudgets: () => records.expireSpentBudgets(1),
        top: () => records.top(1),
        erase: () => records.erase('x', anyLine),
        scrub: () => records.scrub(),
        isScrubDue: () => records.isScrubDue(),
      };
      assert.deepEqual(Object.keys(questions).sort(), Object.keys(records).sort());
      for (const [name, ask] of Object.entries(questions)) {
        await assert.rejects(
          ask,
          (error) => error instanceof Refusal && error.code === 'storage_unavailable',
          name,
        );
      }
    });
  });
}
