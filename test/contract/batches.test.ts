import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { Refusal } from '../../src/base/errors.ts';
import type { BatchChanges, Storage } from '../../src/storage/port.ts';
import { formerOf } from '../support/databases/batch-rules.ts';
import {
  addOne,
  apply,
  changeIfStill,
  insertAll,
  insertUnlessTaken,
  load,
  newIdempotencyKey,
  newProof,
  register,
  release,
  runBatch,
  setUsage,
} from '../support/databases/batches.ts';
import {
  newSqliteFile,
  openedAt,
  openTwice,
  sqliteDatabase,
  storageKinds,
  type TestDatabase,
} from '../support/databases/databases.ts';
import { beginOutside } from '../support/databases/outsider.ts';
import { anyLine, erasureOf, newEvent, newRecord, noUsage } from '../support/databases/records.ts';

const run = promisify(execFile);

for (const engine of storageKinds) {
  describe(`the storage contract of batches on ${engine}`, () => {
    /** The address of the database for a plain driver. */
    let place: string;
    let storage: Storage;
    let database: TestDatabase;
    let neighbour: Storage;
    openTwice(engine, (opened) => {
      ({ place, database, storage, neighbour } = opened);
    });
    const either = (index: number) => (index % 2 === 0 ? storage : neighbour);
    const registered = async () => {
      const { id } = await register(storage, `usr_${randomUUID()}`, 'user', openedAt);
      return id;
    };
    const usageOf = async (owner: string) => (await storage.records.usage(owner)).get('notes');

    describe('loading', () => {
      it('returns the spent budgets of an erased caller until it is back', async () => {
        const owner = await registered();
        const former = formerOf(owner);
        const spent = { writes: 7, writesSince: openedAt, newcomerWrites: 5, newcomerSince: 1 };
        for (const collection of ['notes', 'other', 'over'])
          await setUsage(storage, owner, collection, { ...spent, records: 2 });
        const endOf = (collection: string) => (collection === 'over' ? null : 500);
        await storage.records.erase(owner, null, erasureOf(owner), { former, endOf });
        const budgets = async () => {
          const { spentBudgets } = await load(neighbour, { spentBudgets: [{ former }] });
          return spentBudgets.toSorted((one, another) => (one.collection < another.collection ? -1 : 1));
        };
        const kept = (collection: string) => ({
          former: new Uint8Array(former),
          collection,
          ...spent,
          endsAt: 500,
        });
        assert.deepEqual(await budgets(), [kept('notes'), kept('other')]);
        const others = await load(storage, { spentBudgets: [{ former: formerOf(`${owner}x`) }] });
        assert.deepEqual(others.spentBudgets, []);
        await apply(storage, {
          newConsumers: [{ id: owner, kind: 'user', state: 'active', registeredAt: 1 }],
          takenUpBudgets: [{ former }],
        });
        assert.deepEqual(await budgets(), []);
        const left = await database.query('select 1 from spent_budgets');
        assert.deepEqual(left, [], 'gone once they are taken up');
      });

      it('returns nothing when nothing is named, and an empty batch does nothing', async () => {
        const { asked, ...loaded } = await load(storage, {});
        assert.deepEqual(asked, {});
        assert.deepEqual(Object.values(loaded).flat(), []);
        assert.deepEqual(await runBatch(storage, []), []);
      });
    });

    describe('the outcome of a batch', () => {
      it('is in the order of its operations', async () => {
        const [first, taken, last] = [newRecord(), newRecord(), newRecord()];
        await insertAll(storage, [taken]);
        const outcomes = await runBatch(storage, [
          { kind: 'change_if_still', revision: taken.revision, to: { ...taken, revision: 'r2' } },
          { kind: 'refuse', code: 'not_found', options: {} },
          { kind: 'plain', keys: {}, changes: { newRecords: [first, last] } },
        ]);
        assert.equal((outcomes[0] as { done: unknown }).done, true);
        assert.ok('error' in (outcomes[1] ?? {}));
        assert.deepEqual((outcomes[2] as { done: { records: unknown } }).done.records, [taken]);
        for (const { id } of [first, last]) assert.notEqual(await neighbour.records.find('notes', id), null);
        assert.equal((await neighbour.records.find('notes', taken.id))?.revision, 'r2');
      });

      it('is a refusal with all its details when the rules refuse', async () => {
        const options = {
          members: { limit: 3, current: { text: 'caf\u00e9' } },
          headers: { etag: '"x"' },
          retryAfterSeconds: 7,
          detail: 'for the log',
        };
        const [outcome] = await runBatch(storage, [{ kind: 'refuse', code: 'quota_exceeded', options }]);
        assert.ok(outcome !== undefined && 'error' in outcome && outcome.error instanceof Refusal);
        assert.equal(outcome.error.code, 'quota_exceeded');
        assert.deepEqual(outcome.error.options, options);
      });

      it('is an unexpected error when the rules throw, and nothing is written', async () => {
        const added = newRecord();
        const mistaken = runBatch(storage, [
          { kind: 'plain', keys: {}, changes: { newRecords: [added] } },
          { kind: 'throw', message: 'a mistake in the rules' },
        ]);
        await assert.rejects(mistaken, (error) => {
          assert.match(String(error), /a mistake in the rules/);
          assert.equal(error instanceof Refusal, false, 'it is not the database that is unavailable');
          return true;
        });
        assert.equal(await neighbour.records.find('notes', added.id), null);
        await insertAll(storage, [added]);
      });

      it('is nothing written when any of its changes fails', async () => {
        const owner = await registered();
        const stranger = `usr_${randomUUID()}`;
        const [kept, gone, added] = [newRecord({ owner }), newRecord({ owner }), newRecord({ owner })];
        const consumer = { id: stranger, kind: 'user', state: 'active', registeredAt: 1 } as const;
        const used = { ...noUsage, owner, collection: 'notes', records: 2 };
        const former = new Uint8Array(Buffer.from(randomUUID()));
        await insertAll(storage, [kept, gone]);
        await setUsage(storage, owner, 'notes', used);
        await spendAndErase(former);
        const key = newIdempotencyKey({ owner });
        const proof = newProof();
        const changes = {
          newConsumers: [consumer],
          takenUpBudgets: [{ former }],
          newRecords: [added],
          changedRecords: [{ ...kept, body: '{"changed":1}' }],
          removedRecords: [gone],
          newUsage: [{ ...used, collection: 'other' }],
          changedUsage: [{ ...used, writes: 9, records: 1 }],
          movedUsage: [{ owner, collection: 'notes', records: 1 }],
          idempotencyKeys: [key],
          proofs: [proof],
          events: [newEvent(1)],
        };
        const impossible: Record<string, BatchChanges> = {
          'a consumer who is there': { newConsumers: [{ ...consumer, id: owner }] },
          'the same consumer twice': { newConsumers: [consumer, consumer] },
          'a record whose id is taken': { newRecords: [added, kept] },
          'the same record twice': { newRecords: [added, added] },
          'a record without a body': { changedRecords: [{ ...kept, revision: null as never }] },
          'a usage that is there': { newUsage: [used] },
          'a usage without a number': { changedUsage: [{ ...used, writes: null as never }] },
          'an event without a type': { events: [newEvent(1), newEvent(2, { type: null as never })] },
          'the same proof twice': { proofs: [proof, proof] },
          'a proof without an end': { proofs: [{ ...proof, expiresAt: null as never }] },
          'a key without a digest': { idempotencyKeys: [{ ...key, recordIds: null as never }] },
        };
        for (const [what, failing] of Object.entries(impossible)) {
          await assert.rejects(apply(storage, { ...changes, ...failing }), /unique|null/i, what);
          assert.equal(await neighbour.consumers.find(stranger), null, what);
          assert.equal(await neighbour.records.find('notes', added.id), null, what);
          assert.deepEqual(await neighbour.records.find('notes', kept.id), kept, what);
          assert.deepEqual(await neighbour.records.find('notes', gone.id), gone, what);
          const { owner: _owner, collection: _collection, ...before } = used;
          assert.deepEqual(await neighbour.records.usage(owner), new Map([['notes', before]]), what);
          const left = await load(neighbour, {
            spentBudgets: [{ former }],
            idempotencyKeys: [key],
            proofs: [proof],
          });
          assert.deepEqual([left.spentBudgets.length, left.idempotencyKeys, left.proofs], [1, [], []], what);
        }
        await apply(storage, changes);
        const control = await neighbour.records.find('notes', added.id);
        assert.notEqual(control, null, 'control: the others are possible');
      });

      it('becomes visible to others all at once', async () => {
        const collection = randomUUID();
        const records = Array.from({ length: 500 }, () => newRecord({ collection }));
        let isDone = false;
        const writing = insertAll(storage, records).then(() => {
          isDone = true;
        });
        const seen = new Set<number>();
        while (!isDone) {
          const counts = await neighbour.records.counts();
          seen.add(counts.find((each) => each.collection === collection)?.count ?? 0);
          await new Promise((resolve) => setImmediate(resolve));
        }
        await writing;
        for (const count of seen) assert.ok(count === 0 || count === 500, `${count} were seen`);
        assert.equal((await neighbour.records.ofCollection(collection, '', 1_000)).length, 500);
      });

      it('does not block reads while the batch waits for a lock, and is invisible until the commit', async () => {
        const owner = await registered();
        const [record, added] = [newRecord({ owner }), newRecord({ owner })];
        await insertAll(storage, [record]);
        await setUsage(storage, owner, 'notes', { ...noUsage, records: 1 });
        const outsider = await beginOutside(place);
        await outsider.run(`update usage set writes = writes + 1 where owner = '${owner}'`);
        const writing = apply(storage, {
          newRecords: [added],
          changedRecords: [{ ...record, revision: 'later' }],
          movedUsage: [{ owner, collection: 'notes', records: 1 }],
        });
        await outsider.untilSomebodyWaits();
        for (const each of [storage, neighbour]) {
          assert.deepEqual(await each.records.find('notes', record.id), record);
          assert.equal(await each.records.find('notes', added.id), null);
        }
        await outsider.commit();
        await writing;
        assert.deepEqual(await storage.records.find('notes', added.id), added);
        assert.equal((await storage.records.find('notes', record.id))?.revision, 'later');
        assert.deepEqual(await usageOf(owner), { ...noUsage, records: 2, writes: 1 });
      });
    });

    describe('concurrent batches', () => {
      it('fifty increments through two connections count exactly fifty', async () => {
        const owner = await registered();
        await Promise.all(Array.from({ length: 50 }, (_, index) => addOne(either(index), owner)));
        assert.deepEqual(await usageOf(owner), { ...noUsage, records: 50, writes: 50 });
        assert.equal((await storage.records.ofOwner(owner, null, 100)).length, 50);
      });

      it('one of fifty changes to the same revision of a record succeeds', async () => {
        const record = newRecord();
        await insertAll(storage, [record]);
        const tries = Array.from({ length: 50 }, (_, index) =>
          changeIfStill(either(index), record.revision, { ...record, revision: `by ${index}` }),
        );
        assert.equal((await Promise.all(tries)).filter((isFirst) => isFirst).length, 1);
      });

      it("the count is exact when others remove an owner's records while it adds some", async () => {
        const owner = await registered();
        await setUsage(storage, owner, 'notes', { ...noUsage, records: 30 });
        const work = Array.from({ length: 60 }, (_, index) =>
          index % 3 === 0 ? release(either(index / 3), owner) : addOne(either(index), owner),
        );
        await Promise.all(work);
        assert.equal((await usageOf(owner))?.records, 30 - 20 + 40);
      });

      it('an erasure during inserts of the owner leaves nothing', async () => {
        const owner = await registered();
        const adding = Array.from({ length: 20 }, (_, index) => addOne(either(index), owner));
        const erasing = neighbour.records.erase(owner, anyLine, erasureOf(owner));
        await Promise.all([...adding, erasing]);
        assert.equal(await addOne(storage, owner), false);
        assert.deepEqual(await storage.records.ofOwner(owner, null, 100), []);
        assert.deepEqual(await storage.records.usage(owner), new Map());
        assert.equal(await storage.consumers.find(owner), null);
      });

      it('the same callers, records and counts in another order cause no failure', async () => {
        const owners = await Promise.all(Array.from({ length: 4 }, registered));
        const shared = owners.map((owner) => newRecord({ owner }));
        await insertAll(storage, shared);
        for (const owner of owners) await setUsage(storage, owner, 'notes', noUsage);
        const batch = (index: number) => {
          const turned = [...owners.slice(index % 4), ...owners.slice(0, index % 4)];
          return runBatch(either(index), [
            {
              kind: 'plain',
              keys: {
                consumers: turned.map((id) => ({ id })),
                usage: turned.map((owner) => ({ owner, collection: 'notes' })),
                records: index % 3 === 0 ? shared : shared.toReversed(),
              },
              changes: { movedUsage: turned.map((owner) => ({ owner, collection: 'notes', records: 1 })) },
            },
          ]);
        };
        await Promise.all(Array.from({ length: 60 }, (_, index) => batch(index)));
        for (const owner of owners) assert.equal((await usageOf(owner))?.records, 60);
      });

      it('a batch decides again when its caller was registered meanwhile', async () => {
        const id = `usr_${randomUUID()}`;
        const outsider = await beginOutside(place);
        await outsider.run(
          `insert into consumers (id, kind, state, registered_at) values ('${id}', 'user', 'active', 7)`,
        );
        const registering = Promise.all([1, 2, 3].map((time) => register(either(time), id, 'user', time)));
        await outsider.untilSomebodyWaits();
        await outsider.commit();
        for (const consumer of await registering) assert.equal(consumer.registeredAt, 7);
      });

      it('a batch decides again when its record was inserted meanwhile', async () => {
        const id = randomUUID();
        const outsider = await beginOutside(place);
        await outsider.run(
          `insert into records (collection, id, owner, state, revision, created_at, updated_at, body)
           values ('notes', '${id}', 'usr_outside', null, 'r', 1, 1, '{}')`,
        );
        const inserting = Promise.all(
          [0, 1].map((index) => insertUnlessTaken(either(index), newRecord({ id }))),
        );
        await outsider.untilSomebodyWaits();
        await outsider.commit();
        assert.deepEqual(await inserting, [false, false]);
        assert.equal((await storage.records.find('notes', id))?.owner, 'usr_outside');
      });

      it('a batch decides again when its usage row was inserted meanwhile', async () => {
        const owner = await registered();
        const outsider = await beginOutside(place);
        await outsider.run(
          `insert into usage (owner, collection, records, writes, writes_since, newcomer_writes, newcomer_since)
           values ('${owner}', 'notes', 5, 5, 0, 0, 0)`,
        );
        const adding = addOne(storage, owner);
        await outsider.untilSomebodyWaits();
        await outsider.commit();
        assert.equal(await adding, true);
        assert.deepEqual(await usageOf(owner), { ...noUsage, records: 6, writes: 6 });
      });
    });

    /** The spent budgets of an erased caller, kept under this name. */
    async function spendAndErase(former: Uint8Array): Promise<void> {
      const owner = await registered();
      await setUsage(storage, owner, 'notes', { ...noUsage, writes: 1 });
      await storage.records.erase(owner, null, erasureOf(owner), { former, endOf: () => 500 });
    }
  });
}

it('two processes on one SQLite file count exactly', async () => {
  const file = newSqliteFile();
  const storage = await sqliteDatabase(file).open();
  const { id } = await register(storage, 'usr_shared', 'user', openedAt);
  const program = new URL('../support/databases/record-writer.ts', import.meta.url).pathname;
  const elsewhere = run(process.execPath, [program, file, id, '25']);
  const here = Promise.all(Array.from({ length: 25 }, () => addOne(storage, id)));
  await Promise.all([elsewhere, here]);
  assert.equal((await storage.records.usage(id)).get('notes')?.records, 50);
  await storage.close();
});
