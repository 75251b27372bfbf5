import { type Compilable, sql } from 'kysely';
import { whenReady } from '../../base/now-or-later.ts';
import { tables } from '../batch/tables.ts';
import type { Engine } from '../engine.ts';
import type {
  ErasureNotes,
  Family,
  FieldValue,
  RecordQuery,
  RecordStore,
  RecordText,
  StoredRecord,
  Tally,
  UsageRow,
} from '../port.ts';
import { preparedReads } from '../prepared.ts';
import { columnsOf } from '../schema.ts';
import { recount, repairTallies, waitingParents, workOnChildren } from './families.ts';
import { invitationsBy, invitationsOf, membershipsOf, membersOf } from './members.ts';
import {
  inOneOrder,
  type QueryShape,
  recordWithMembers,
  shapeOf,
  shapeOfMembers,
  valuesOf,
  withValues,
} from './record-fields.ts';
import { historyOf } from './record-history.ts';
import { prepareIndexes } from './record-indexes.ts';
import {
  anyExpired,
  bodiesOf,
  countOf,
  pageOf,
  placeAfter,
  recordsOf,
  sizesOf,
  withMembers,
} from './record-queries.ts';
import { eraseOwner, expireRecords } from './record-removal.ts';
import { expireProofs } from './used-once.ts';

export function recordStore(engine: Engine, erasures: ErasureNotes): RecordStore {
  const { database, reader } = engine;
  const prepared = preparedReads(engine.read);
  let families: readonly Family[] = [];
  const ask = (what: string, asked: RecordQuery, build: (query: QueryShape) => Compilable) => {
    const query = inOneOrder(asked);
    return prepared(`${what} ${shapeOf(query)}`, valuesOf(query), (values) =>
      build(withValues(query, values)),
    );
  };
  const wholeRecords = () =>
    reader.selectFrom('records').select(columnsOf(tables.records)).$castTo<StoredRecord>();
  return {
    prepare(collections, known = [], begin) {
      families = known;
      return prepareIndexes(engine, collections, begin);
    },

    find(collection, id, members) {
      const shape = members === undefined ? 'one' : `one ${collection} ${shapeOfMembers(members)}`;
      const values = [collection, id, members?.member];
      const rows = prepared(shape, values, ([inCollection, named, member]) => {
        const record = recordsOf(reader)
          .where('collection', '=', inCollection as never)
          .where('id', '=', named as never);
        return withMembers(record, collection, members && { ...members, member: member as never });
      });
      return whenReady(rows, ([row]) => (row === undefined ? null : recordWithMembers(row)));
    },

    findAll(collection, ids, members) {
      if (ids.length === 0) return [];
      const isPostgres = engine.name === 'postgres';
      const values = [collection, isPostgres ? ids : JSON.stringify(ids), members?.member];
      const shape = `all ${members === undefined ? '' : `${collection} ${shapeOfMembers(members)}`}`;
      const rows = prepared(shape, values, ([inCollection, named, member]) => {
        const isNamed = isPostgres
          ? sql<boolean>`id = any(${named}::text[])`
          : sql<boolean>`id in (select value from json_each(${named}))`;
        const records = recordsOf(reader)
          .where('collection', '=', inCollection as never)
          .where(isNamed);
        return withMembers(records, collection, members && { ...members, member: member as never });
      });
      return whenReady(rows, (found) => found.map(recordWithMembers));
    },

    list: async (query) =>
      (await ask('page', query, (shape) => pageOf(engine, shape))).map(recordWithMembers),

    members: (collection, id, after, limit) => membersOf(reader, collection, id, after, limit),
    history: (...asked) => historyOf(reader, asked),
    membershipsOf: (member, after, limit) => membershipsOf(reader, member, after, limit),
    invitations: (collection, id, now) => invitationsOf(reader, collection, id, now),
    invitationsBy: (maker, now) => invitationsBy(reader, maker, now),

    tallies(collection, ids) {
      if (ids.length === 0) return [];
      const rows = prepared(`tallies ${ids.length}`, [collection, ...ids], ([inCollection, ...of]) =>
        reader
          .selectFrom('tallies')
          .select(['record_id', 'child', 'state', 'n'])
          .where('collection', '=', inCollection as never)
          .where('record_id', 'in', of as never),
      );
      return whenReady(rows, (found) =>
        found.map(([recordId, child, state, n]) => {
          return { collection, recordId, child, state, n } as Tally;
        }),
      );
    },

    waitingParents: (...asked) => waitingParents(reader, asked),
    workOnChildren: (limit, eventOf) => workOnChildren(engine, families, limit, eventOf),
    async childWork() {
      const { count } = await reader
        .selectFrom('child_work')
        .select((select) => select.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    recount: (known) => recount(engine, known),
    repairTallies: (known) => repairTallies(engine, known),

    sizes: async (query) =>
      (await ask('sizes', query, (shape) => sizesOf(engine, shape))).map((row) => row.at(-1) as number),

    bodies: async (query) =>
      (await ask('bodies', query, (shape) => bodiesOf(engine, shape))).map(([value, id, body]) => {
        return { value, id, body } as RecordText;
      }),

    count: async (query) =>
      Number((await ask('count', query, (shape) => countOf(engine, shape)))[0]?.[0] ?? 0),

    async placeAfter(query, count) {
      const [row] = await ask(`place ${count}`, query, (shape) => placeAfter(engine, shape, count));
      return row === undefined ? null : { value: row[0] as FieldValue, id: row[1] as string };
    },

    hasExpired: async (collection, changedBefore) =>
      (
        await prepared(`expired ${collection}`, [changedBefore], ([since]) =>
          anyExpired(engine, collection, since as never),
        )
      ).length > 0,

    async usage(owner) {
      const rows = await reader
        .selectFrom('usage')
        .select(columnsOf(tables.usage))
        .$castTo<UsageRow>()
        .where('owner', '=', owner)
        .execute();
      return new Map(rows.map(({ owner: _, collection, ...usage }) => [collection, usage]));
    },

    async ofOwner(owner, after, limit) {
      let records = wholeRecords().where('owner', '=', owner);
      if (after !== null) {
        const { collection, createdAt, id } = after;
        records = records.where(
          sql<boolean>`(collection, created_at, id) > (${collection}, ${createdAt}, ${id})`,
        );
      }
      return records.orderBy('collection').orderBy('created_at').orderBy('id').limit(limit).execute();
    },

    async ofCollection(collection, afterId, limit) {
      return wholeRecords()
        .where('collection', '=', collection)
        .where('id', '>', afterId)
        .orderBy('id')
        .limit(limit)
        .execute();
    },

    async measure(collection, afterId, limit) {
      const some = reader
        .selectFrom('records')
        .select(['id', 'state', 'bytes'])
        .where('collection', '=', collection)
        .where('id', '>', afterId)
        .orderBy('id')
        .limit(limit);
      const rows = await reader
        .selectFrom(some.as('some'))
        .select((select) => [
          'state',
          select.fn.countAll<number>().as('records'),
          select.fn.sum<number>('bytes').as('bytes'),
          select.fn.max('id').as('last'),
        ])
        .groupBy('state')
        .execute();
      const measured = rows.map(({ state, records, bytes }) => {
        return { state, records: Number(records), bytes: Number(bytes) };
      });
      const isEnd = measured.reduce((sum, { records }) => sum + records, 0) < limit;
      const lastId = isEnd ? null : rows.reduce((last, row) => (row.last > last ? row.last : last), '');
      return { lastId, measured };
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

    expire: (collection, changedBefore, limit, eventOf) =>
      expireRecords(engine, families, collection, changedBefore, limit, eventOf),

    async forgetExpired(now) {
      for (const table of ['idempotency_keys', 'invitations'] as const)
        await database.deleteFrom(table).where('expires_at', '<=', now).execute();
      await database.deleteFrom('spent_budgets').where('ends_at', '<=', now).execute();
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

    expireProofs: (expiredAt, limit) => expireProofs(database, expiredAt, limit),

    erase: (owner, audit, event, budgets, proof = null, known = families) =>
      eraseOwner(engine, known, erasures, { owner, audit, event, budgets, proof }),

    eraseAgain: (owner, audit, event, erasure, known = families) =>
      eraseOwner(engine, known, erasures, { owner, audit, event, erasure }),

    copiesLeft: () => engine.residue.left(),

    scrub: (extent) => engine.residue.scrub(extent === 'quickly'),
  };
}
