import { sql } from 'kysely';
import type { Engine } from '../engine.ts';
import type { RecordTransaction, Usage } from '../port.ts';
import type { Database, Tables } from '../schema.ts';
import { toConsumer } from './consumers.ts';
import { recordsOf, toRecord } from './record-queries.ts';

/**
 * Locks are taken in one order, caller, record, count, so that two who change the same things wait for each other
 * instead of being in each other's way. SQLite has one writer at a time and needs none of them.
 */
export function recordTransaction(engine: Engine, transaction: Database): RecordTransaction {
  const isShared = engine.name === 'postgres';
  /** What the count was when it was read, by owner and collection. */
  const countsRead = new Map<string, number>();
  const keyOf = (owner: string, collection: string) => JSON.stringify([owner, collection]);

  return {
    async lockConsumer(id) {
      const row = await transaction
        .selectFrom('consumers')
        .selectAll()
        .where('id', '=', id)
        .$if(isShared, (select) => select.forUpdate())
        .executeTakeFirst();
      return row === undefined ? null : toConsumer(row);
    },

    async countNewcomers(since, atMost) {
      const newcomers = transaction
        .selectFrom('consumers')
        .select('id')
        // Written out, so that the partial index is used.
        .where('kind', '=', sql.lit('user'))
        .where('registered_at', '>=', since)
        .limit(atMost);
      const row = await transaction
        .selectFrom(newcomers.as('newcomers'))
        .select((select) => select.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return row.count;
    },

    async usage(owner, collection) {
      const row = await transaction
        .selectFrom('usage')
        .selectAll()
        .where('owner', '=', owner)
        .where('collection', '=', collection)
        .executeTakeFirst();
      const usage = row === undefined ? unused : toUsage(row);
      countsRead.set(keyOf(owner, collection), usage.records);
      return usage;
    },

    /** The count is moved by as much as the caller moved it: others may have released records meanwhile. */
    async setUsage(owner, collection, usage) {
      const key = keyOf(owner, collection);
      const read = countsRead.get(key);
      const records =
        read === undefined ? usage.records : sql<number>`usage.records + ${usage.records - read}`;
      countsRead.set(key, usage.records);
      const budgets = {
        writes: usage.writes,
        writes_since: usage.writesSince,
        newcomer_writes: usage.newcomerWrites,
        newcomer_since: usage.newcomerSince,
      };
      await transaction
        .insertInto('usage')
        .values({ owner, collection, records: usage.records, ...budgets })
        .onConflict((conflict) =>
          conflict.columns(['owner', 'collection']).doUpdateSet({ records, ...budgets }),
        )
        .execute();
    },

    releaseRecord: (owner, collection) => releaseRecords(transaction, owner, collection, 1),

    async find(collection, id) {
      const row = await recordsOf(transaction)
        .where('collection', '=', collection)
        .where('id', '=', id)
        .$if(isShared, (select) => select.forUpdate())
        .executeTakeFirst();
      return row === undefined ? null : toRecord(row);
    },

    async insert({ createdAt, updatedAt, ...record }) {
      const { numInsertedOrUpdatedRows } = await transaction
        .insertInto('records')
        .values({
          ...record,
          created_at: createdAt,
          updated_at: updatedAt,
          bytes: Buffer.byteLength(record.body),
        })
        .onConflict((conflict) => conflict.columns(['collection', 'id']).doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },

    async update({ collection, id, state, revision, updatedAt, body }) {
      await transaction
        .updateTable('records')
        .set({ state, revision, updated_at: updatedAt, body, bytes: Buffer.byteLength(body) })
        .where('collection', '=', collection)
        .where('id', '=', id)
        .execute();
    },

    async remove(collection, id) {
      await transaction
        .deleteFrom('records')
        .where('collection', '=', collection)
        .where('id', '=', id)
        .execute();
    },

    async findIdempotencyKey(owner, collection, keyDigest, now) {
      const row = await transaction
        .selectFrom('idempotency_keys')
        .select(['request_digest', 'record_id'])
        .where('owner', '=', owner)
        .where('collection', '=', collection)
        .where('key_digest', '=', keyDigest)
        .where('expires_at', '>', now)
        .executeTakeFirst();
      if (row === undefined) return null;
      return { requestDigest: new Uint8Array(row.request_digest), recordId: row.record_id };
    },

    async useIdempotencyKey(owner, collection, keyDigest, { requestDigest, recordId }, expiresAt) {
      const used = { request_digest: requestDigest, record_id: recordId, expires_at: expiresAt };
      await transaction
        .insertInto('idempotency_keys')
        .values({ owner, collection, key_digest: keyDigest, ...used })
        // One that has expired may still be there.
        .onConflict((conflict) => conflict.columns(['owner', 'collection', 'key_digest']).doUpdateSet(used))
        .execute();
    },
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
export async function releaseRecords(
  transaction: Database,
  owner: string,
  collection: string,
  count: number,
): Promise<void> {
  await transaction
    .updateTable('usage')
    .set({ records: sql`case when records > ${sql.lit(count)} then records - ${sql.lit(count)} else 0 end` })
    .where('owner', '=', owner)
    .where('collection', '=', collection)
    .execute();
}
