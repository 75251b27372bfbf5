import { type Compilable, type RawBuilder, sql } from 'kysely';
import { whenReady } from '../../base/handler.ts';
import type { Engine } from '../engine.ts';
import type {
  ErasureNotes,
  FieldValue,
  MembersWanted,
  ParentLink,
  RecordQuery,
  RecordStore,
  RecordText,
  Tally,
} from '../port.ts';
import { preparedReads } from '../prepared.ts';
import { rowsOf } from '../schema.ts';
import { recount, repairTallies, workOnChildren } from './parents.ts';
import {
  inOneOrder,
  type QueryShape,
  recordWithMembers,
  shapeOf,
  shapeOfMembers,
  valuesOf,
  withValues,
} from './record-fields.ts';
import { prepareIndexes } from './record-indexes.ts';
import { recordParts, rowsAfter } from './record-parts.ts';
import { bodiesOf, countOf, pageOf, placeAfter, recordsOf, sizesOf, withMembers } from './record-queries.ts';
import { eraseOwner, expireRecords } from './record-removal.ts';
import { expireProofs } from './used-once.ts';

export function recordStore(engine: Engine, erasures: ErasureNotes): RecordStore {
  const { database, reader } = engine;
  const prepared = preparedReads(engine.read);
  let links: readonly ParentLink[] = [];
  const ask = (what: string, asked: RecordQuery, build: (query: QueryShape) => Compilable) => {
    const query = inOneOrder(asked);
    return prepared(`${what} ${shapeOf(query)}`, valuesOf(query), (values) =>
      build(withValues(query, values)),
    );
  };
  const readNamed = (
    what: string,
    collection: string,
    names: unknown,
    members: MembersWanted | undefined,
    isNamed: (named: unknown) => RawBuilder<unknown>,
  ) => {
    const shape = members === undefined ? what : `${what} ${collection} ${shapeOfMembers(members)}`;
    return prepared(shape, [collection, names, members?.member], ([inCollection, named, member]) => {
      const records = recordsOf(reader).where('collection', '=', inCollection as never);
      const found = records.where(isNamed(named) as RawBuilder<boolean>);
      return withMembers(found, collection, members && { ...members, member: member as never });
    });
  };
  return {
    prepare(collections, known = [], begin) {
      links = known;
      return prepareIndexes(engine, collections, begin);
    },

    find(collection, id, members) {
      const rows = readNamed('one', collection, id, members, (named) => sql`id = ${named}`);
      return whenReady(rows, ([row]) => (row === undefined ? null : recordWithMembers(row)));
    },

    findAll(collection, ids, members) {
      if (ids.length === 0) return [];
      const rows =
        engine.name === 'postgres'
          ? readNamed('all', collection, ids, members, (named) => sql`id = any(${named}::text[])`)
          : readNamed(
              'all',
              collection,
              JSON.stringify(ids),
              members,
              (named) => sql`id in (select value from json_each(${named}))`,
            );
      return whenReady(rows, (found) => found.map(recordWithMembers));
    },

    list: async (query) =>
      (await ask('page', query, (shape) => pageOf(engine, shape))).map(recordWithMembers),

    ...recordParts(reader),

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

    async waitingParents(child, state, after, limit) {
      const rows = await rowsOf(reader, 'tallies')
        .where('child', '=', child)
        .where('state', '=', state)
        .where('n', '>', 0)
        .where('record_id', '>', after)
        .orderBy('record_id')
        .limit(limit)
        .execute();
      return rows.map(({ recordId }) => recordId);
    },

    workOnChildren: (limit, eventOf) => workOnChildren(engine, links, limit, eventOf),
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

    async hasExpired(collection, changedBefore) {
      const found = await prepared(`expired ${collection}`, [changedBefore], ([since]) =>
        reader
          .selectFrom('records')
          .select('id')
          // Written out, so that the index of this collection is used.
          .where('collection', '=', sql.lit(collection))
          .where('updated_at', '<=', since as never)
          .orderBy('updated_at')
          .limit(sql.lit(1)),
      );
      return found.length > 0;
    },

    async usage(owner) {
      const rows = await rowsOf(reader, 'usage').where('owner', '=', owner).execute();
      return new Map(rows.map(({ owner: _, collection, ...usage }) => [collection, usage]));
    },

    ofOwner(owner, after, limit) {
      const records = rowsOf(reader, 'records').where('owner', '=', owner);
      const place = after && [after.collection, after.createdAt, after.id];
      return rowsAfter(records, ['collection', 'created_at', 'id'], place, limit);
    },

    ofCollection(collection, afterId, limit) {
      return rowsAfter(
        rowsOf(reader, 'records').where('collection', '=', collection),
        ['id'],
        [afterId],
        limit,
      );
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
      expireRecords(engine, links, collection, changedBefore, limit, eventOf),

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

    erase: (owner, audit, event, budgets, proof = null, known = links) =>
      eraseOwner(engine, known, erasures, { owner, audit, event, budgets, proof }),

    eraseAgain: (owner, audit, event, erasure, known = links) =>
      eraseOwner(engine, known, erasures, { owner, audit, event, erasure }),

    copiesLeft: () => engine.residue.left(),

    scrub: (extent) => engine.residue.scrub(extent === 'quickly'),
  };
}
