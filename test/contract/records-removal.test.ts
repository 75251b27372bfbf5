import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import type { RecordStore, Storage } from '../../src/storage/port.ts';
import { formerOf } from '../support/databases/batch-rules.ts';
import {
  apply,
  insertAll,
  load,
  newIdempotencyKey,
  register,
  setUsage,
} from '../support/databases/batches.ts';
import {
  createTestDatabase,
  openedAt,
  postgresDatabase,
  storageKinds,
  type TestDatabase,
} from '../support/databases/databases.ts';
import { beginOutside } from '../support/databases/outsider.ts';
import { createDatabase } from '../support/databases/postgres.ts';
import { erasureOf, newLine, newRecord, noUsage, untold } from '../support/databases/records.ts';
import { until } from '../support/run/polling.ts';

for (const engine of storageKinds) {
  describe(`the storage contract of counts and removal on ${engine}`, () => {
    let database: TestDatabase;
    let storage: Storage;
    let records: RecordStore;
    const opened: Storage[] = [];
    beforeEach(async () => {
      database = await createTestDatabase(engine);
      storage = await database.open();
      ({ records } = storage);
      opened.push(storage);
    });
    after(() => Promise.all(opened.map((each) => each.close())));

    const countOf = async (owner: string, collection = 'notes') =>
      (await records.usage(owner)).get(collection)?.records;
    /** Inserts and counts so many records of an owner. */
    const give = async (owner: string, count: number, changes: Parameters<typeof newRecord>[0] = {}) => {
      const made = Array.from({ length: count }, () => newRecord({ owner, ...changes }));
      await insertAll(storage, made);
      const { collection = 'notes' } = changes;
      await setUsage(storage, owner, collection, { ...noUsage, records: count });
      return made;
    };

    describe('expire', () => {
      it('deletes records last changed by then, oldest first, no more than the limit', async () => {
        const made = [5, 3, 1, 4, 2].map((updatedAt) =>
          newRecord({ id: `${updatedAt}`, updatedAt, createdAt: 0 }),
        );
        await insertAll(storage, [...made, newRecord({ collection: 'other', updatedAt: 0 })]);
        const left = async () => (await records.ofCollection('notes', '', 10)).map(({ id }) => id);
        assert.equal(await records.expire('notes', 0, 10, untold), 0);
        assert.equal(await records.expire('notes', 4, 2, untold), 2);
        assert.deepEqual(await left(), ['3', '4', '5']);
        assert.equal(await records.expire('notes', 4, 10, untold), 2);
        assert.deepEqual(await left(), ['5']);
        assert.equal((await records.ofCollection('other', '', 10)).length, 1);
      });

      it('subtracts them from the counts of their owners only', async () => {
        await give('usr_a', 3, { updatedAt: 1 });
        await give('usr_b', 2, { updatedAt: 1 });
        await give('usr_c', 2, { updatedAt: 9 });
        await give('usr_a', 2, { updatedAt: 1, collection: 'other' });
        assert.equal(await records.expire('notes', 1, 100, untold), 5);
        for (const owner of ['usr_a', 'usr_b']) assert.equal(await countOf(owner), 0);
        assert.equal(await countOf('usr_c'), 2);
        assert.equal(await countOf('usr_a', 'other'), 2);
      });

      it('deletes and counts each record once when two processes expire at the same time', async () => {
        const neighbour = await database.open();
        opened.push(neighbour);
        for (const owner of ['usr_a', 'usr_b', 'usr_c']) await give(owner, 20, { updatedAt: 1 });
        const rounds = Array.from({ length: 12 }, (_, index) =>
          (index % 2 === 0 ? records : neighbour.records).expire('notes', 1, 7, untold),
        );
        let deleted = (await Promise.all(rounds)).reduce((sum, count) => sum + count, 0);
        deleted += await records.expire('notes', 1, 100, untold);
        assert.equal(deleted, 60);
        for (const owner of ['usr_a', 'usr_b', 'usr_c']) assert.equal(await countOf(owner), 0);
      });
    });

    describe('erase', () => {
      it('refuses a suspended caller', async () => {
        await register(storage, 'usr_out', 'user', 1);
        await give('usr_out', 2);
        await storage.consumers.setState('usr_out', 'suspended', newLine());
        const refused = records.erase('usr_out', null, erasureOf('usr_out'));
        await assert.rejects(refused, { code: 'consumer_suspended' });
        assert.equal((await storage.consumers.find('usr_out'))?.state, 'suspended');
        assert.equal((await records.ofOwner('usr_out', null, 10)).length, 2);
        const erased = await records.erase('usr_out', newLine(), erasureOf('usr_out'));
        assert.deepEqual(erased?.records, { notes: 2 });
      });

      const keyOf = (owner: string) => newIdempotencyKey({ owner, keyDigest: Uint8Array.of(7) });
      const fill = async (owner: string) => {
        await register(storage, owner, 'user', openedAt);
        await give(owner, 3);
        await give(owner, 2, { collection: 'b%', state: 'draft' });
        await apply(storage, { idempotencyKeys: [keyOf(owner)] });
      };

      it('removes everything of one caller, counts it, writes its audit line and affects no other', async () => {
        await fill('usr_gone');
        await fill('usr_stays');
        const before = await records.ofOwner('usr_stays', null, 10);
        const line = newLine({ action: 'consumer.erased', subject: 'somebody' });
        assert.deepEqual(await records.erase('usr_gone', line, erasureOf('usr_gone')), {
          records: { notes: 3, 'b%': 2 },
          idempotencyKeys: 1,
          budgetsKeptUntil: null,
        });
        assert.deepEqual(await storage.audit.list(0), [line]);
        assert.equal(await storage.consumers.find('usr_gone'), null);
        assert.deepEqual(await records.ofOwner('usr_gone', null, 10), []);
        assert.deepEqual(await records.usage('usr_gone'), new Map());
        const keysOf = async (owner: string) =>
          (await load(storage, { idempotencyKeys: [keyOf(owner)] })).idempotencyKeys.length;
        assert.equal(await keysOf('usr_gone'), 0);
        assert.deepEqual(await records.ofOwner('usr_stays', null, 10), before);
        assert.equal(await countOf('usr_stays'), 3);
        assert.equal(await keysOf('usr_stays'), 1);
        assert.notEqual(await storage.consumers.find('usr_stays'), null);
      });

      it('returns null for a caller without data, and writes no audit line', async () => {
        await fill('usr_gone');
        assert.notEqual(await records.erase('usr_gone', null, erasureOf('usr_gone')), null);
        assert.equal(await records.erase('usr_gone', newLine(), erasureOf('usr_gone')), null);
        assert.equal(await records.erase('usr_never', newLine(), erasureOf('usr_never')), null);
        assert.deepEqual(await storage.audit.list(0), []);
      });

      it('removes a caller with only a registration, or with only records', async () => {
        await register(storage, 'usr_bare', 'user', openedAt);
        const nothing = { records: {}, idempotencyKeys: 0, budgetsKeptUntil: null };
        assert.deepEqual(await records.erase('usr_bare', null, erasureOf('usr_bare')), nothing);
        await insertAll(storage, [newRecord({ owner: 'usr_unknown' })]);
        const erased = await records.erase('usr_unknown', null, erasureOf('usr_unknown'));
        assert.deepEqual(erased, { ...nothing, records: { notes: 1 } });
      });

      it('removes more records than one statement deletes', async () => {
        await give('usr_busy', 5_001);
        await insertAll(storage, [newRecord({ owner: 'usr_other' })]);
        const erased = await records.erase('usr_busy', null, erasureOf('usr_busy'));
        assert.deepEqual(erased?.records, { notes: 5_001 });
        assert.equal((await records.counts())[0]?.count, 1);
      });

      it('keeps spent budgets for the same caller when it comes back, and for no other', async () => {
        const left = { ...noUsage, writes: 7, newcomerWrites: 5 };
        await register(storage, 'usr_spent', 'user', 100);
        for (const collection of ['ended', 'notes', 'other'])
          await setUsage(storage, 'usr_spent', collection, { ...left, records: 2 });
        const former = formerOf('usr_spent');
        const ends: Readonly<Record<string, number>> = { notes: 500, other: 300 };
        const endOf = (collection: string) => ends[collection] ?? null;
        const erased = await records.erase('usr_spent', null, erasureOf('usr_spent'), { former, endOf });
        assert.equal(erased?.budgetsKeptUntil, 500);
        assert.deepEqual(await records.usage('usr_spent'), new Map());
        await register(storage, 'usr_else', 'user', 400);
        assert.deepEqual(await records.usage('usr_else'), new Map());
        await Promise.all([1, 2, 3].map(() => register(storage, 'usr_spent', 'user', 400)));
        assert.deepEqual(await records.usage('usr_spent'), new Map([['notes', left]]), 'the other has ended');
        assert.deepEqual(await database.query('select 1 from spent_budgets'), [], 'nothing is kept twice');
      });

      it('notifies the watchers of standing', async () => {
        const neighbour = await database.open();
        opened.push(neighbour);
        await register(storage, 'usr_seen', 'user', openedAt);
        let calls = 0;
        const unwatch = await neighbour.standing.watch(() => {
          calls += 1;
        });
        // A watch of SQLite polls for the first time by itself.
        await neighbour.consumers.find('usr_seen');
        await records.erase('usr_seen', null, erasureOf('usr_seen'));
        await until(() => calls > 0, Boolean, 'nobody was called');
        await unwatch();
      });

      it('changes nothing of other callers, also after repeated scrubs', async () => {
        await fill('usr_gone');
        await fill('usr_stays');
        const before = await records.ofOwner('usr_stays', null, 10);
        await records.scrub();
        await records.erase('usr_gone', null, erasureOf('usr_gone'));
        await records.scrub();
        await records.scrub();
        assert.deepEqual(await records.ofOwner('usr_stays', null, 10), before);
        await storage.ping();
      });
    });

    describe('counts', () => {
      it('are by collection and state, without zeros', async () => {
        assert.deepEqual(await records.counts(), []);
        await insertAll(storage, [
          ...[1, 2, 3].map(() => newRecord()),
          ...[1, 2].map(() => newRecord({ collection: 'bookings', state: 'draft' })),
          newRecord({ collection: 'bookings', state: 'approved' }),
          newRecord({ collection: 'mixed', state: 'new' }),
          newRecord({ collection: 'mixed' }),
        ]);
        const inOrder = (await records.counts()).toSorted((one, other) =>
          `${one.collection} ${one.state}` < `${other.collection} ${other.state}` ? -1 : 1,
        );
        assert.deepEqual(inOrder, [
          { collection: 'bookings', state: 'approved', count: 1 },
          { collection: 'bookings', state: 'draft', count: 2 },
          { collection: 'mixed', state: 'new', count: 1 },
          { collection: 'mixed', state: null, count: 1 },
          { collection: 'notes', state: null, count: 3 },
        ]);
      });

      it('of bytes are measured in steps, by state', async () => {
        const states = ['draft', null, 'draft'];
        const made = ['a', 'b', 'c'].map((letter, index) =>
          newRecord({ collection: 'measured', id: letter.repeat(36), state: states[index] ?? null }),
        );
        await insertAll(storage, made);
        const bytes = Buffer.byteLength(made[0]?.body ?? '');
        const first = await records.measure('measured', '', 2);
        assert.equal(first.lastId, made[1]?.id);
        const byState = first.measured.toSorted((one) => (one.state === null ? 1 : -1));
        assert.deepEqual(byState, [
          { state: 'draft', records: 1, bytes },
          { state: null, records: 1, bytes },
        ]);
        const rest = { lastId: null, measured: [{ state: 'draft', records: 1, bytes }] };
        assert.deepEqual(await records.measure('measured', String(first.lastId), 2), rest);
        assert.deepEqual(await records.measure('none', '', 2), { lastId: null, measured: [] });
      });
    });

    describe('top', () => {
      it('lists the owners with most records first, with their bytes', async () => {
        assert.deepEqual(await records.top(5), []);
        await insertAll(storage, [
          ...[1, 2].map(() => newRecord({ owner: 'usr_two', body: '{"a":"\u00e9"}' })),
          ...[1, 2, 3].map((index) => newRecord({ owner: 'usr_three', collection: `c${index}` })),
          newRecord({ owner: 'usr_b', body: `{"a":"${'x'.repeat(1_000)}"}` }),
          newRecord({ owner: 'usr_a' }),
        ]);
        const all = [
          { owner: 'usr_three', records: 3, bytes: 6 },
          { owner: 'usr_two', records: 2, bytes: 20 },
          { owner: 'usr_a', records: 1, bytes: 2 },
          { owner: 'usr_b', records: 1, bytes: 1_008 },
        ];
        assert.deepEqual(await records.top(10), all);
        assert.deepEqual(await records.top(3), all.slice(0, 3));
      });
    });
  });
}

describe('expiry beside an open transaction on postgres', () => {
  it('skips a locked record and deletes the others', async (t) => {
    const url = await createDatabase();
    const storage = await postgresDatabase(url).open();
    t.after(() => storage.close());
    const locked = newRecord({ updatedAt: 1 });
    await insertAll(storage, [locked, newRecord({ updatedAt: 1 }), newRecord({ updatedAt: 1 })]);
    const outsider = await beginOutside(url);
    await outsider.run(`select 1 from records where id = '${locked.id}' for update`);
    const expiring = storage.records.expire('notes', 1, 10, untold);
    assert.equal(await expiring.finally(() => outsider.commit()), 2);
    assert.equal(await storage.records.expire('notes', 1, 10, untold), 1);
  });
});

describe('an erasure beside a concurrent delete on postgres', () => {
  it('leaves nothing, even when a record was deleted meanwhile', async () => {
    const url = await createDatabase();
    const storage = await postgresDatabase(url).open();
    await register(storage, 'usr_many', 'user', 1);
    const records = Array.from({ length: 6_000 }, () => newRecord({ owner: 'usr_many' }));
    await insertAll(storage, records);
    const outsider = await beginOutside(url);
    await outsider.run(`delete from records where id = '${records[0]?.id}'`);
    const erasing = storage.records.erase('usr_many', null, erasureOf('usr_many'));
    await outsider.untilSomebodyWaits();
    await outsider.commit();
    assert.equal((await erasing)?.records.notes, 5_999);
    assert.deepEqual(await storage.records.ofOwner('usr_many', null, 10), []);
    await storage.close();
  });

  it('locks a record before its children, as writes do', async () => {
    const url = await createDatabase();
    const storage = await postgresDatabase(url).open();
    await register(storage, 'usr_a', 'user', 1);
    const room = newRecord({ owner: 'usr_a', collection: 'rooms' });
    const paper = newRecord({ owner: 'usr_a', collection: 'papers', fields: { room: room.id } });
    await insertAll(storage, [room, paper]);
    const named = { child: 'papers', field: 'room', collection: 'rooms', level: 1 };
    const family = { ...named, ownedBy: 'creator', onDelete: 'keep', isTallied: false } as const;
    const outsider = await beginOutside(url);
    await outsider.run(`select 1 from records where id = '${room.id}' for update`);
    const erasing = storage.records.erase('usr_a', null, erasureOf('usr_a'), undefined, null, [family]);
    await outsider.untilSomebodyWaits();
    await outsider.run(`select 1 from records where id = '${paper.id}' for update`);
    await outsider.commit();
    assert.deepEqual((await erasing)?.records, { rooms: 1, papers: 1 });
    await storage.close();
  });
});
