import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import type { UsedProof } from '../../src/base/caller.ts';
import { ConfirmedTime, systemClock } from '../../src/base/clock.ts';
import { Refusal } from '../../src/base/errors.ts';
import { createKeyedDigest } from '../../src/base/keyed-digest.ts';
import { createLog } from '../../src/base/log.ts';
import { readCollections } from '../../src/collections/read-collections.ts';
import { PeopleNames } from '../../src/records/people-names.ts';
import { type BatchRulesData, batchRulesModule } from '../../src/records/rules/batch-rules.ts';
import { Sweeper } from '../../src/records/sweeper.ts';
import { WriteQueue } from '../../src/records/write-queue.ts';
import type { Storage } from '../../src/storage/port.ts';
import { openPostgres } from '../../src/storage/postgres/engine.ts';
import { createStorage } from '../../src/storage/storage.ts';
import { apply, insertAll, load, newProof, register } from '../support/databases/batches.ts';
import {
  anyKeys,
  createTestDatabase,
  openedAt,
  openTwice,
  storageKinds,
  type TestDatabase,
} from '../support/databases/databases.ts';
import { beginOutside } from '../support/databases/outsider.ts';
import { createDatabase, direct } from '../support/databases/postgres.ts';
import { erasureOf, newRecord } from '../support/databases/records.ts';
import { until } from '../support/run/polling.ts';
import { MovableClock } from '../support/services/movable-clock.ts';

const isReplay = (error: unknown) => error instanceof Refusal && error.code === 'proof_replayed';

for (const engine of storageKinds) {
  describe(`the storage contract of used proofs on ${engine}`, () => {
    let storage: Storage;
    let neighbour: Storage;
    openTwice(engine, (opened) => {
      ({ storage, neighbour } = opened);
    });

    it('are deleted after expiry, oldest first, no more than the limit', async () => {
      const proofs = [5, 1, 4, 2, 3].map((expiresAt) => newProof({ expiresAt }));
      const kept = newProof();
      await apply(storage, { proofs: [...proofs, kept] });
      const left = async () => {
        const loaded = await load(neighbour, { proofs: [...proofs, kept] });
        const found = new Set(loaded.proofs.map(({ digest }) => String(digest)));
        return [...proofs, kept]
          .filter(({ digest }) => found.has(String(digest)))
          .map(({ expiresAt }) => expiresAt);
      };
      assert.equal(await storage.records.expireProofs(0, 10), 0);
      assert.equal(await storage.records.expireProofs(4, 2), 2);
      assert.deepEqual(await left(), [5, 4, 3, kept.expiresAt]);
      assert.equal(await storage.records.expireProofs(4, 10), 2);
      assert.deepEqual(await left(), [5, kept.expiresAt]);
      assert.equal(await storage.records.expireProofs(5, 1), 1);
      assert.equal(await storage.records.expireProofs(5, 1), 0);
    });

    describe('of a caller that erases itself', () => {
      const erase = (owner: string, proof: UsedProof | null) =>
        neighbour.records.erase(owner, null, erasureOf(owner), undefined, proof);
      const somebody = async () => {
        const { id } = await register(storage, `usr_${randomUUID()}`, 'user', openedAt);
        await insertAll(storage, [newRecord({ owner: id })]);
        return id;
      };

      it('are used up by the erasure and kept after it', async () => {
        const [owner, proof] = [await somebody(), newProof()];
        assert.deepEqual((await erase(owner, proof))?.records, { notes: 1 });
        assert.deepEqual((await load(storage, { proofs: [proof] })).proofs, [proof]);
      });

      it('refuse a second erasure', async () => {
        const [owner, proof] = [await somebody(), newProof()];
        await apply(storage, { proofs: [proof] });
        await assert.rejects(erase(owner, proof), isReplay);
        assert.notEqual(await storage.consumers.find(owner), null);
        assert.equal((await storage.records.ofOwner(owner, null, 10)).length, 1);
        assert.notEqual(await erase(owner, newProof()), null, 'control: another proof does it');
      });

      it('are used up even when there was nothing to erase', async () => {
        const [owner, proof] = [`usr_${randomUUID()}`, newProof()];
        assert.equal(await erase(owner, proof), null);
        await assert.rejects(erase(owner, proof), isReplay);
        assert.equal(await erase(owner, null), null);
      });

      it('erase once when two processes get them at the same moment', async () => {
        const [owner, proof] = [await somebody(), newProof()];
        const both = [storage, neighbour].map((each) =>
          each.records.erase(owner, null, erasureOf(owner), undefined, proof),
        );
        const outcomes = await Promise.allSettled(both);
        const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
        assert.equal(refused.length, 1);
        assert.ok(isReplay(refused[0]?.reason), String(refused[0]?.reason));
      });
    });
  });

  describe(`a proof at two processes at the same moment, on ${engine}`, () => {
    let place: string;
    let storage: Storage;
    let neighbour: Storage;
    let queues: readonly WriteQueue[] = [];
    openTwice(engine, (opened) => {
      ({ place, storage, neighbour } = opened);
    });
    before(async () => {
      queues = await Promise.all([storage, neighbour].map(openQueue));
    });
    after(async () => {
      for (const queue of queues) await queue.stop();
    });

    const write = (queue: WriteQueue, owner: string, proof: UsedProof | null, id: string) => {
      const caller = { id: owner, kind: 'user', isMachine: false } as const;
      const made = { collection: 'notes', id, revision: id, parentId: null, body: '{}' };
      const change = { ...made, kind: 'create_under' } as const;
      return queue.submit({ caller, now: openedAt, proof, change }, 2, () => false);
    };
    const recordsOf = async (owner: string) => (await storage.records.ofOwner(owner, null, 100)).length;

    it('writes once in each of thirty attempts; the others are refused without an error', async () => {
      for (let turn = 0; turn < 30; turn += 1) {
        const [owner, proof] = [`usr_${randomUUID()}`, newProof()];
        if (turn % 2 === 0) await Promise.all(queues.map((queue) => write(queue, owner, null, randomUUID())));
        const before = await recordsOf(owner);
        const outcomes = await Promise.allSettled(
          queues.flatMap((queue) =>
            [1, 2].map(() => write(queue, owner, { ...proof, digest: proof.digest.slice() }, randomUUID())),
          ),
        );
        const refused = outcomes.flatMap((outcome) =>
          outcome.status === 'rejected' ? [outcome.reason] : [],
        );
        assert.equal(refused.length, 3);
        for (const reason of refused) assert.ok(isReplay(reason), String(reason));
        assert.equal(await recordsOf(owner), before + 1);
      }
    });

    it('is refused when used elsewhere during the batch; the other operations are done', async () => {
      const [owner, proof] = [`usr_${randomUUID()}`, newProof()];
      const [queue] = queues;
      assert.ok(queue !== undefined);
      const outsider = await beginOutside(place);
      const hex = Buffer.from(proof.digest).toString('hex');
      const digest = engine === 'sqlite' ? `x'${hex}'` : `'\\x${hex}'`;
      await outsider.run(`insert into proofs (digest, expires_at) values (${digest}, 9000000000000)`);
      const replayed = write(queue, owner, proof, randomUUID());
      const others = [newProof(), null].map((used) =>
        write(queue, `usr_${randomUUID()}`, used, randomUUID()),
      );
      const settled = Promise.allSettled([replayed, ...others]);
      await outsider.untilSomebodyWaits();
      await outsider.commit();
      const [first, ...rest] = await settled;
      assert.ok(first?.status === 'rejected' && isReplay(first.reason), JSON.stringify(first));
      for (const { status } of rest) assert.equal(status, 'fulfilled');
      assert.equal(await recordsOf(owner), 0);
    });
  });
}

const text = 'schema: { properties: { text: { type: string, maxLength: 20 } } }';

/** The write queue with the rules of the service, as in every process. */
async function openQueue(storage: Storage): Promise<WriteQueue> {
  const collections = readCollections([{ name: 'notes', path: 'notes.yaml', text }]);
  const store = await storage.openBatches({
    module: batchRulesModule,
    data: {
      collections: collections.map(({ checkFields: _, ...plain }) => plain),
      newcomersPerHour: 0,
      digestKey: new Uint8Array(32),
    } satisfies BatchRulesData,
  });
  return new WriteQueue({ store, clock: systemClock });
}

describe('batches without proofs', () => {
  it('send PostgreSQL no statement about proofs', async () => {
    const engine = openPostgres(await direct(await createDatabase()), { poolSize: 1 });
    const storage = await createStorage(engine, openedAt, anyKeys);
    const about = async () => {
      const { rows } = await sql<{
        count: number;
      }>`select count(*) as count from pg_prepared_statements where statement like '%proofs%'
        and statement not like '%pg_prepared_statements%'`.execute(engine.database);
      return rows[0]?.count;
    };
    await register(storage, 'usr_plain', 'user', openedAt);
    await insertAll(storage, [newRecord()]);
    assert.equal(await about(), 0);
    const proof = newProof();
    await apply(storage, { proofs: [proof] });
    await load(storage, { proofs: [proof] });
    assert.equal(await about(), 2, 'control: one that reads and one that writes');
    await storage.close();
  });
});

/** One place, with a waiting list. */
const spots = `
parent: { field: meetup, collection: meetups, capacity: { states: [taken], number: 1, overflow: waiting } }
schema: { properties: { note: { type: string, maxLength: 40 } } }
access: { create: everyone, read: owner }
states: { taken: { leave: gone }, waiting: { leave: gone }, gone: {} }
`;
const meetups = 'schema: { properties: { title: { type: string, maxLength: 40 } } }';

describe('the sweep', () => {
  let database: TestDatabase;
  let storage: Storage;
  beforeEach(async () => {
    database = await createTestDatabase('sqlite');
    storage = await database.open();
  });
  afterEach(() => storage.close());

  type Options = ConstructorParameters<typeof Sweeper>[0];
  /** Sweeps until all expired proofs are deleted. */
  const sweepProofs = async (options: Pick<Options, 'collections' | 'fill'>) => {
    const clock = new MovableClock();
    const now = clock.now();
    const old = Array.from({ length: 2_500 }, () => newProof({ expiresAt: now - 30_000 }));
    const young = newProof({ expiresAt: now + 86_400_000 });
    await apply(storage, { proofs: [...old, young] });
    const log = createLog('silent');
    const sweeper = new Sweeper({
      store: storage.records,
      events: storage.events,
      consumers: storage.consumers,
      standing: storage.standing,
      assertions: storage.assertions,
      names: new PeopleNames(createKeyedDigest(new Uint8Array(32))),
      onBroughtBack: () => {},
      hold: async () => true,
      clock,
      time: new ConfirmedTime(clock, log),
      log,
      ...options,
    });
    sweeper.start();
    const left = async () => Number((await database.query('select count(*) as count from proofs'))[0]?.count);
    assert.equal(await left(), 2_501);
    const isSwept = async () => {
      clock.advance(60_000);
      return (await left()) === 1;
    };
    await until(isSwept, Boolean, 'proofs that expired stay in the database');
    await sweeper.stop();
  };

  it('deletes all proofs a minute after their expiry, and keeps the others', () =>
    sweepProofs({ collections: [], fill: async () => {} }));

  it('deletes expired rows also while the write queue is too full to fill places', async () => {
    const collections = readCollections([
      { name: 'meetups', path: 'meetups.yaml', text: meetups },
      { name: 'spots', path: 'spots.yaml', text: spots },
    ]);
    const meetup = newRecord({ collection: 'meetups' });
    await insertAll(storage, [meetup]);
    await database.query(`insert into tallies values ('meetups', '${meetup.id}', 'spots', 'waiting', 1)`);
    let refusals = 0;
    const fill = async () => {
      refusals += 1;
      throw new Refusal('overloaded');
    };
    await sweepProofs({ collections, fill });
    assert.ok(refusals > 0);
  });
});
