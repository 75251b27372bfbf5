import { sql } from 'kysely';
import type { Engine } from '../engine.ts';
import type { RecordTransaction, Usage } from '../port.ts';
import { prepare } from '../prepared.ts';
import type { Database, Tables } from '../schema.ts';
import type { Connection } from '../transaction.ts';
import { toConsumer } from './consumers.ts';
import { recordsOf, toRecord } from './record-queries.ts';

/** The statements of transactions on records. Each is made once for all of them. */
export function recordStatements(engine: Engine) {
  const { name, database } = engine;
  const isShared = name === 'postgres';
  return {
    lockConsumer: prepare((id: string) =>
      database
        .selectFrom('consumers')
        .selectAll()
        .where('id', '=', id)
        .$if(isShared, (select) => select.forUpdate()),
    ),

    countNewcomers: prepare((since: number, atMost: number) => {
      const newcomers = database
        .selectFrom('consumers')
        .select('id')
        // Written out, so that the partial index is used.
        .where('kind', '=', sql.lit('user'))
        .where('registered_at', '>=', since)
        .limit(atMost);
      return database
        .selectFrom(newcomers.as('newcomers'))
        .select((select) => select.fn.countAll<number>().as('count'));
    }),

    usage: prepare((owner: string, collection: string) =>
      database
        .selectFrom('usage')
        .selectAll()
        .where('owner', '=', owner)
        .where('collection', '=', collection),
    ),

    /** `moved`: by how much the count of one that is there already changes. */
    setUsage: prepare(
      (
        owner: string,
        collection: string,
        records: number,
        moved: number,
        writes: number,
        writes_since: number,
        newcomer_writes: number,
        newcomer_since: number,
      ) => {
        const budgets = { writes, writes_since, newcomer_writes, newcomer_since };
        return database
          .insertInto('usage')
          .values({ owner, collection, records, ...budgets })
          .onConflict((conflict) =>
            conflict
              .columns(['owner', 'collection'])
              .doUpdateSet({ records: sql<number>`usage.records + ${moved}`, ...budgets }),
          );
      },
    ),

    release: prepare((owner: string, collection: string) => releaseRecords(database, owner, collection, 1)),

    find: prepare((collection: string, id: string) =>
      recordsOf(database)
        .where('collection', '=', collection)
        .where('id', '=', id)
        .$if(isShared, (select) => select.forUpdate()),
    ),

    insert: prepare(
      (
        collection: string,
        id: string,
        owner: string,
        state: string | null,
        revision: string,
        created_at: number,
        updated_at: number,
        body: string,
        bytes: number,
      ) =>
        database
          .insertInto('records')
          .values({ collection, id, owner, state, revision, created_at, updated_at, body, bytes })
          .onConflict((conflict) => conflict.columns(['collection', 'id']).doNothing()),
    ),

    update: prepare(
      (
        collection: string,
        id: string,
        state: string | null,
        revision: string,
        updated_at: number,
        body: string,
        bytes: number,
      ) =>
        database
          .updateTable('records')
          .set({ state, revision, updated_at, body, bytes })
          .where('collection', '=', collection)
          .where('id', '=', id),
    ),

    remove: prepare((collection: string, id: string) =>
      database.deleteFrom('records').where('collection', '=', collection).where('id', '=', id),
    ),

    findIdempotencyKey: prepare((owner: string, collection: string, keyDigest: Uint8Array, now: number) =>
      database
        .selectFrom('idempotency_keys')
        .select(['request_digest', 'record_id'])
        .where('owner', '=', owner)
        .where('collection', '=', collection)
        .where('key_digest', '=', keyDigest)
        .where('expires_at', '>', now),
    ),

    useIdempotencyKey: prepare(
      (
        owner: string,
        collection: string,
        key_digest: Uint8Array,
        request_digest: Uint8Array,
        record_id: string,
        expires_at: number,
      ) => {
        const used = { request_digest, record_id, expires_at };
        return (
          database
            .insertInto('idempotency_keys')
            .values({ owner, collection, key_digest, ...used })
            // One that has expired may still be there.
            .onConflict((conflict) =>
              conflict.columns(['owner', 'collection', 'key_digest']).doUpdateSet(used),
            )
        );
      },
    ),
  };
}

/**
 * Locks are taken in one order, caller, record, count, so that two who change the same things wait for each other
 * instead of being in each other's way. SQLite has one writer at a time and needs none of them.
 */
export function recordTransaction(
  statements: ReturnType<typeof recordStatements>,
  transaction: Connection,
): RecordTransaction {
  return {
    async lockConsumer(id) {
      const row = (await statements.lockConsumer(transaction, id)).rows[0];
      return row === undefined ? null : toConsumer(row);
    },

    async countNewcomers(since, atMost) {
      const row = (await statements.countNewcomers(transaction, since, atMost)).rows[0];
      return row?.count ?? 0;
    },

    async usage(owner, collection) {
      const row = (await statements.usage(transaction, owner, collection)).rows[0];
      return row === undefined ? unused : toUsage(row);
    },

    /** The count is moved by as much as the caller moved it: others may have released records meanwhile. */
    setUsage: (owner, collection, before, after) =>
      statements.setUsage(
        transaction,
        owner,
        collection,
        after.records,
        after.records - before.records,
        after.writes,
        after.writesSince,
        after.newcomerWrites,
        after.newcomerSince,
      ),

    releaseRecord: (owner, collection) => statements.release(transaction, owner, collection),

    async find(collection, id) {
      const row = (await statements.find(transaction, collection, id)).rows[0];
      return row === undefined ? null : toRecord(row);
    },

    async insert({ collection, id, owner, state, revision, createdAt, updatedAt, body }) {
      const bytes = Buffer.byteLength(body);
      const { rowCount } = await statements.insert(
        transaction,
        collection,
        id,
        owner,
        state,
        revision,
        createdAt,
        updatedAt,
        body,
        bytes,
      );
      return rowCount === 1;
    },

    update({ collection, id, state, revision, updatedAt, body }) {
      const bytes = Buffer.byteLength(body);
      return statements.update(transaction, collection, id, state, revision, updatedAt, body, bytes);
    },

    remove: (collection, id) => statements.remove(transaction, collection, id),

    async findIdempotencyKey(owner, collection, keyDigest, now) {
      const [row] = (await statements.findIdempotencyKey(transaction, owner, collection, keyDigest, now))
        .rows;
      if (row === undefined) return null;
      return { requestDigest: new Uint8Array(row.request_digest), recordId: row.record_id };
    },

    useIdempotencyKey: (owner, collection, keyDigest, { requestDigest, recordId }, expiresAt) =>
      statements.useIdempotencyKey(
        transaction,
        owner,
        collection,
        keyDigest,
        requestDigest,
        recordId,
        expiresAt,
      ),
  };
}

const unused: Usage = { records: 0, writes: 0, writesSince: 0, newcomerWrites: 0, newcomerSince: 0 };

export function toUsage(row: Tables['usage']): Usage {
  return {
    records: row.records,
    writes: row.writes,
    writesSince: row.writes_since,
    newcomerWrites: row.newcomer_writes,
    newcomerSince: row.newcomer_since,
  };
}

/** Takes so many from an owner's count, which is never less than none. */
export function releaseRecords(database: Database, owner: string, collection: string, count: number) {
  return database
    .updateTable('usage')
    .set({ records: sql`case when records > ${sql.lit(count)} then records - ${sql.lit(count)} else 0 end` })
    .where('owner', '=', owner)
    .where('collection', '=', collection);
}
