import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Engine } from '../engine.ts';
import type { FieldValue, Operator, Place, RecordQuery } from '../port.ts';
import { recordColumns } from '../rows.ts';
import type { Database, Tables } from '../schema.ts';
import { fieldExpression, type QueryShape } from './record-fields.ts';
import { ofEverybody } from './record-indexes.ts';

export type RecordRow = Pick<Tables['records'], (typeof recordColumns)[number]>;
type Selected<Row> = SelectQueryBuilder<Tables, 'records', Row>;
type Query = Selected<RecordRow>;
type Matching = Selected<unknown>;

export function recordsOf(database: Database): Query {
  return database.selectFrom('records').select(recordColumns);
}

const comparisons = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const satisfies Record<
  Operator,
  string
>;

/** One page. Whatever it is sorted by, an index has the records in that order: what was read before costs nothing. */
export function pageOf(engine: Engine, query: QueryShape) {
  const ranges = rangesOf(engine, query).map((range) => range.select(recordColumns));
  const [first] = ranges as [Query];
  if (isOneRange(engine, query)) return first;
  const value = sortedBy(engine, query);
  return inOrder(
    engine,
    query,
    ranges.map((range) => range.select(value)),
  ).select(recordColumns);
}

/** How many bytes the bodies of a page have. Neither database has to read a body for it, unless a field is compared. */
export function sizesOf(engine: Engine, query: QueryShape) {
  const size = sql<number>`octet_length(body)`.as('size');
  const [first] = rangesOf(engine, query) as [Matching];
  if (isOneRange(engine, query)) return first.select(size);
  return placesOf(engine, query, (range) => range.select(size));
}

/** The place so many records further on. Only the index of the order is read for it. */
export function placeAfter(engine: Engine, query: QueryShape, count: number) {
  const { field } = query.sort;
  const conditions = query.conditions.filter((condition) => isSame(condition.field, field));
  const state = query.owner === null ? query.state : null;
  const wanted = { ...query, state, expiredAt: null, conditions, limit: count, atMost: count };
  return placesOf(engine, wanted, (range) => range)
    .limit(sql.lit(1))
    .offset(sql.lit(count - 1));
}

/** One of those that have expired, if there is any. */
export function anyExpired({ reader }: Engine, collection: string, changedBefore: number) {
  return (
    reader
      .selectFrom('records')
      .select('id')
      // Written out, so that the index of this collection is used.
      .where('collection', '=', sql.lit(collection))
      .where('updated_at', '<=', changedBefore)
      .orderBy('updated_at')
      .limit(sql.lit(1))
  );
}

/** The places of the records of a page, and what else is wanted of them but their bodies. */
function placesOf<More>(
  engine: Engine,
  query: QueryShape,
  withMore: (range: Selected<Place>) => Selected<Place & More>,
): Selected<Place & More> {
  const value = sortedBy(engine, query);
  const ranges = rangesOf(engine, query).map((range) => withMore(range.select([value, 'id'])));
  const [first] = ranges as [Selected<Place & More>];
  if (isOneRange(engine, query)) return first;
  return inOrder(engine, query, ranges).selectAll() as unknown as Selected<Place & More>;
}

/** PostgreSQL plans a statement anew each time unless the limit is a constant, so each range there has a constant limit. */
function isOneRange({ name }: Engine, { after }: QueryShape): boolean {
  return name === 'sqlite' && after === null;
}

function inOrder<Row>(
  { reader }: Engine,
  { sort, limit }: QueryShape,
  ranges: readonly Selected<Row>[],
): Matching {
  const direction = sort.descending ? 'desc' : 'asc';
  const all = ranges
    .map((range) => reader.selectFrom(range.as('range')).selectAll())
    .reduce((one, other) => one.unionAll(other));
  return reader
    .selectFrom(all.as('records'))
    .orderBy(sql.ref('value'), direction)
    .orderBy(sql.ref('id'), direction)
    .limit(limit) as unknown as Matching;
}

/** After a place, two ranges instead of a comparison of pairs, for which SQLite would not use an index on an expression. */
function rangesOf(engine: Engine, query: QueryShape): readonly Matching[] {
  const { sort, after } = query;
  const limit = engine.name === 'postgres' ? sql.lit(query.atMost) : query.limit;
  const direction = sort.descending ? 'desc' : 'asc';
  const value = expressionOf(engine, sort.field);
  const byId = (records: Matching) => records.orderBy('id', direction).limit(limit);
  const byValue = (records: Matching) => byId(records.orderBy(value, direction));
  const matching = matchingOf(engine, query);
  if (after === null) return [byValue(matching)];
  const beyond = sort.descending ? '<' : '>';
  const last = after.value;
  return [
    byId(matching.where(value, '=', last).where('id', beyond, after.id)),
    byValue(matching.where(value, beyond, last)),
  ];
}

function matchingOf(engine: Engine, query: RecordQuery): Matching {
  const { owner, state, sort, until, expiredAt } = query;
  // Written out, so that the indexes of this collection are used.
  let records: Matching = engine.reader
    .selectFrom('records')
    .where('collection', '=', sql.lit(query.collection));
  if (owner !== null) records = records.where('owner', '=', owner);
  else if (engine.name === 'sqlite') records = records.where(ofEverybody);
  if (state !== null) records = records.where(filterOn(engine, query, sql.ref('state')), '=', state);
  for (const { field, operator, value } of query.conditions) {
    const expression = expressionOf(engine, field);
    const filtered = isSame(field, sort.field) ? expression : filterOn(engine, query, expression);
    records = records.where(filtered, comparisons[operator], value);
  }
  if (until) {
    const value = expressionOf(engine, sort.field);
    const end = until.value;
    records = records
      .where(value, sort.descending ? '>=' : '<=', end)
      .where(({ or, eb }) =>
        or([eb(value, sort.descending ? '>' : '<', end), eb('id', sort.descending ? '>=' : '<=', until.id)]),
      );
  }
  // The sign keeps both databases from going by the time of change, which is in no order that helps.
  if (expiredAt !== null) records = records.where(sql<number>`+updated_at`, '>', expiredAt);
  return records;
}

/** The sign keeps SQLite from using another index than that of the sort order in a list of one owner. */
function filterOn(
  engine: Engine,
  { owner }: RecordQuery,
  expression: RawBuilder<FieldValue>,
): RawBuilder<FieldValue> {
  return engine.name === 'sqlite' && owner !== null ? sql<FieldValue>`+${expression}` : expression;
}

function isSame(one: RecordQuery['sort']['field'], other: RecordQuery['sort']['field']): boolean {
  return one === other || (one !== 'created_at' && other !== 'created_at' && one.name === other.name);
}

function sortedBy(engine: Engine, { sort }: QueryShape) {
  return expressionOf(engine, sort.field).as('value');
}

function expressionOf(engine: Engine, field: RecordQuery['sort']['field']): RawBuilder<FieldValue> {
  return field === 'created_at' ? sql.ref<FieldValue>('created_at') : fieldExpression(engine.name, field);
}
