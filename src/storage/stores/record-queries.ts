import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Engine } from '../engine.ts';
import type { FieldValue, Operator, RecordQuery, StoredRecord } from '../port.ts';
import type { Database, Tables } from '../schema.ts';
import { comparable, fieldExpression } from './record-fields.ts';
import { ofEverybody } from './record-indexes.ts';

export const recordColumns = [
  'collection',
  'id',
  'owner',
  'state',
  'revision',
  'created_at',
  'updated_at',
  'body',
] as const;

export type RecordRow = Pick<Tables['records'], (typeof recordColumns)[number]>;
type Query = SelectQueryBuilder<Tables, 'records', RecordRow>;

export function toRecord({ created_at, updated_at, ...row }: RecordRow): StoredRecord {
  return { ...row, createdAt: created_at, updatedAt: updated_at };
}

export function recordsOf(database: Database): Query {
  return database.selectFrom('records').select(recordColumns);
}

const comparisons = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const satisfies Record<
  Operator,
  string
>;

/** One page. Whatever it is sorted by, an index has the records in that order: what was read before costs nothing. */
export function pageOf(engine: Engine, query: RecordQuery) {
  const { sort, after, limit } = query;
  const direction = sort.descending ? 'desc' : 'asc';
  const value = expressionOf(engine, sort.field);
  const firstOf = (records: Query) => records.orderBy(value, direction).orderBy('id', direction).limit(limit);
  const matching = matchingOf(engine, query);
  if (after === null) return firstOf(matching);
  // Two ranges of the index rather than one comparison of pairs: SQLite does not look up a pair with an expression
  // in it, and would read all records that agree with the last one again for each page.
  const beyond = sort.descending ? '<' : '>';
  const last = comparable(after.value);
  const tied = matching
    .where(value, '=', last)
    .where('id', beyond, after.id)
    .orderBy('id', direction)
    .limit(limit);
  const further = firstOf(matching.where(value, beyond, last));
  const { reader } = engine;
  const either = reader
    .selectFrom(tied.as('tied'))
    .selectAll()
    .unionAll(reader.selectFrom(further.as('further')).selectAll());
  return reader
    .selectFrom(either.as('records'))
    .selectAll()
    .orderBy(value, direction)
    .orderBy('id', direction)
    .limit(limit);
}

function matchingOf(engine: Engine, query: RecordQuery): Query {
  const { owner, state, expiredAt } = query;
  // Written out, so that the indexes of this collection are used.
  let records = recordsOf(engine.reader).where('collection', '=', sql.lit(query.collection));
  if (owner !== null) records = records.where('owner', '=', owner);
  else if (engine.name === 'sqlite') records = records.where(ofEverybody);
  if (state !== null) records = records.where('state', '=', state);
  for (const { field, operator, value } of inOneOrder(query.conditions)) {
    records = records.where(expressionOf(engine, field), comparisons[operator], comparable(value));
  }
  // The sign keeps both databases from going by the time of change, which is in no order that helps.
  if (expiredAt !== null) records = records.where(sql<number>`+updated_at`, '>', expiredAt);
  return records;
}

function expressionOf(engine: Engine, field: RecordQuery['sort']['field']): RawBuilder<FieldValue> {
  return field === 'created_at' ? sql.ref<FieldValue>('created_at') : fieldExpression(engine.name, field);
}

/** The order in which a caller names them makes no other statement. */
function inOneOrder(conditions: RecordQuery['conditions']): RecordQuery['conditions'] {
  const rank = ({ field, operator }: (typeof conditions)[number]) =>
    `${field === 'created_at' ? '' : field.name} ${operator}`;
  return conditions.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1));
}
