import { sql } from 'kysely';
import type { Engine } from '../engine.ts';
import type { RecordStore } from '../port.ts';
import { prepare } from '../prepared.ts';
import { toRecord, toUsage } from '../rows.ts';
import { prepareIndexes } from './record-indexes.ts';
import { anyExpired, pageOf, placeAfter, recordsOf, sizesOf } from './record-queries.ts';
import { eraseOwner, expireRecords } from './record-removal.ts';

export function recordStore(engine: Engine): RecordStore {
  const { database, reader } = engine;
  const find = prepare((collection: string, id: string) =>
    recordsOf(reader).where('collection', '=', collection).where('id', '=', id),
  );
  return {
    prepare: (collections) => prepareIndexes(engine, collections),

    async find(collection, id) {
      const { rows } = await find(engine.readerConnection, collection, id);
      return rows[0] === undefined ? null : toRecord(rows[0]);
    },

    list: async (query) => (await pageOf(engine, query).execute()).map(toRecord),

    sizes: async (query) => (await sizesOf(engine, query).execute()).map(({ size }) => size),

    async placeAfter(query, count) {
      const found = await placeAfter(engine, query, count).executeTakeFirst();
      return found === undefined ? null : { value: found.value, id: found.id };
    },

    hasExpired: async (collection, changedBefore) =>
      (await anyExpired(engine, collection, changedBefore).executeTakeFirst()) !== undefined,

    async usage(owner) {
      const rows = await reader.selectFrom('usage').selectAll().where('owner', '=', owner).execute();
      return new Map(rows.map((row) => [row.collection, toUsage(row)]));
    },

    async ofOwner(owner, after, limit) {
      let records = recordsOf(reader).where('owner', '=', owner);
      if (after !== null) {
        const { collection, createdAt, id } = after;
        records = records.where(
          sql<boolean>`(collection, created_at, id) > (${collection}, ${createdAt}, ${id})`,
        );
      }
      const rows = await records
        .orderBy('collection')
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(toRecord);
    },

    async ofCollection(collection, afterId, limit) {
      const rows = await recordsOf(reader)
        .where('collection', '=', collection)
        .where('id', '>', afterId)
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(toRecord);
    },

    /** Both parts are counted in an index; those without a state are the rest. */
    async counts() {
      const { rows } = await sql<{ collection: string; state: string | null; count: number }>`
        select collection, state, count(*) as count from records where state is not null group by collection, state
        union all
        select collection, null as state, count(*) as count from records group by collection`.execute(reader);
      return rows
        .map(({ collection, state, count }) => {
          if (state !== null) return { collection, state, count };
          const withState = rows.filter((row) => row.collection === collection && row.state !== null);
          return { collection, state, count: withState.reduce((rest, row) => rest - row.count, count) };
        })
        .filter(({ count }) => count > 0);
    },

    expire: (collection, changedBefore, limit) => expireRecords(engine, collection, changedBefore, limit),

    async expireIdempotencyKeys(now) {
      const { numDeletedRows } = await database
        .deleteFrom('idempotency_keys')
        .where('expires_at', '<=', now)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },

    async expireSpentBudgets(now) {
      const { numDeletedRows } = await database
        .deleteFrom('spent_budgets')
        .where('ends_at', '<=', now)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },

    async top(limit) {
      const owners = reader
        .selectFrom('records')
        .select('owner')
        .groupBy('owner')
        .orderBy((select) => select.fn.countAll(), 'desc')
        .orderBy('owner')
        .limit(limit);
      const rows = await reader
        .selectFrom('records')
        .select((select) => [
          'owner',
          select.fn.countAll<number>().as('records'),
          select.fn.sum<number>('bytes').as('bytes'),
        ])
        .where('owner', 'in', (select) => select.selectFrom(owners.as('owners')).select('owner'))
        .groupBy('owner')
        .orderBy('records', 'desc')
        .orderBy('owner')
        .execute();
      return rows.map(({ owner, records, bytes }) => ({ owner, records, bytes: Number(bytes) }));
    },

    erase: (owner, audit, budgets) => eraseOwner(engine, owner, audit, budgets),

    isScrubDue: () => engine.residue.isDue(),

    scrub: (extent) => engine.residue.scrub(extent === 'quickly'),
  };
}
