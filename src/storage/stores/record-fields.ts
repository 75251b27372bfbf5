import { type RawBuilder, sql } from 'kysely';
import type { Engine } from '../engine.ts';
import type { FieldValue, IndexedField, RecordQuery } from '../port.ts';

/** PostgreSQL refuses an index entry of more than 2,704 bytes; texts count by so many characters at their beginning. */
const longestText = 500;

/** As the declarations have it. It is written into SQL, where a path in JSON has no escape that both databases know. */
const plainName = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;

/** A field of the body as SQL, the same expression for indexes and queries. It has a value whatever the body holds. */
export function fieldExpression(
  engine: Engine['name'],
  { name, kind }: IndexedField,
): RawBuilder<FieldValue> {
  if (!plainName.test(name)) throw new TypeError('the name of an indexed field is not plain');
  return engine === 'postgres' ? postgresExpressions[kind](name) : sqliteExpressions[kind](name);
}

type Expressions = Readonly<Record<IndexedField['kind'], (name: string) => RawBuilder<FieldValue>>>;

const longest = sql.lit(longestText);

const sqliteExpressions: Expressions = {
  text: (name) =>
    sql`(case json_type(body, ${path(name)}) when 'text'
      then substr(json_extract(body, ${path(name)}), 1, ${longest}) else '' end)`,
  number: (name) =>
    sql`(case when json_type(body, ${path(name)}) in ('integer', 'real')
      then json_extract(body, ${path(name)}) else 0 end)`,
  boolean: (name) => sql`(case json_type(body, ${path(name)}) when 'true' then 1 else 0 end)`,
};

function path(name: string) {
  return sql.lit(`$."${name}"`);
}

/** PostgreSQL evaluates the sort expression again for each record of a page; `json` takes a third less than `jsonb`. */
const postgresExpressions: Expressions = {
  text: (name) =>
    sql`((case json_typeof(body::json -> ${sql.lit(name)}) when 'string'
      then left(body::json ->> ${sql.lit(name)}, ${longest}) else '' end) collate "C")`,
  number: (name) =>
    sql`(case json_typeof(body::json -> ${sql.lit(name)}) when 'number'
      then (body::json ->> ${sql.lit(name)})::double precision else 0 end)`,
  boolean: (name) => sql`(case (body::json -> ${sql.lit(name)})::text when 'true' then 1 else 0 end)`,
};

/** A value to compare with, cut as the texts in the index are. */
export function comparable(value: FieldValue): FieldValue {
  if (typeof value === 'number' || value.length <= longestText) return value;
  return [...value].slice(0, longestText).join('');
}

export interface QueryShape extends RecordQuery {
  /** No less than its limit, and part of its shape. */
  readonly atMost: number;
}

/** A query in the form that others of its shape have, too: the order in which a caller names conditions makes no other. */
export function inOneOrder(query: RecordQuery): RecordQuery {
  if (query.conditions.length < 2) return query;
  return {
    ...query,
    conditions: query.conditions.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1)),
  };
}

/** All that makes another statement: queries of the same shape differ only in their values. */
export function shapeOf(query: RecordQuery): string {
  const { collection, conditions, sort, limit } = query;
  const optional = [query.owner, query.state, query.after, query.until ?? null, query.expiredAt];
  const given = optional.map((one) => (one === null ? 0 : 1)).join('');
  const order = `${sort.descending ? '-' : '+'}${nameOf(sort.field)}`;
  const people = `${query.states ?? ''} ${JSON.stringify(query.memberOf?.roles)} ${shapeOfMembers(query.members)}`;
  return `${collection} ${given} ${atMost(limit)} ${order} ${conditions.map(rank).join()} ${people}`;
}

export function shapeOfMembers(members: RecordQuery['members']): string {
  return members === undefined ? '' : `${members.roles}/${members.rolesOfAll}`;
}

/** The values of a query, each at a place of its own. */
export function valuesOf(query: RecordQuery): readonly unknown[] {
  const { owner, state, expiredAt, limit } = query;
  const placeOf = (place: RecordQuery['until']) => [place ? comparable(place.value) : null, place?.id];
  const compared = query.conditions.map(({ value }) => comparable(value));
  const member = query.memberOf?.member ?? query.members?.member;
  const places = [...placeOf(query.after), ...placeOf(query.until)];
  return [owner, state, expiredAt, limit, member, ...places, ...compared];
}

/** The same query with other values at those places. */
export function withValues(query: RecordQuery, values: readonly never[]): QueryShape {
  const [owner, state, expiredAt, limit, member, afterValue, afterId, untilValue, untilId, ...compared] =
    values as never[];
  const { conditions, memberOf, members } = query;
  return {
    ...query,
    owner: query.owner === null ? null : (owner as never),
    state: query.state === null ? null : (state as never),
    expiredAt: query.expiredAt === null ? null : (expiredAt as never),
    limit: limit as never,
    atMost: atMost(query.limit),
    after: query.after === null ? null : { value: afterValue as never, id: afterId as never },
    until: query.until ? { value: untilValue as never, id: untilId as never } : null,
    memberOf: memberOf && { ...memberOf, member: member as never },
    members: members && { ...members, member: member as never },
    conditions: conditions.map((condition, index) => ({
      ...condition,
      value: compared[index] as unknown as FieldValue,
    })),
  };
}

/** Rounded up, so that there are few. */
function atMost(limit: number): number {
  return 2 ** Math.ceil(Math.log2(limit));
}

function rank({ field, operator }: RecordQuery['conditions'][number]): string {
  return `${nameOf(field)} ${operator}`;
}

function nameOf(field: RecordQuery['sort']['field']): string {
  return field === 'created_at' ? '' : field.name;
}
