import { type RawBuilder, sql } from 'kysely';
import { nameIn } from '../batch/table.ts';
import { type BatchTables, tables } from '../batch/tables.ts';
import type { Engine, Row } from '../engine.ts';
import { comparable, fieldText } from '../field-text.ts';
import type {
  FieldValue,
  IndexedField,
  RecordMember,
  RecordQuery,
  RecordWithMembers,
  StoredRecord,
} from '../port.ts';

/** A field of the body as SQL. */
export function fieldExpression(engine: Engine['name'], field: IndexedField): RawBuilder<FieldValue> {
  return sql.raw<FieldValue>(fieldText(engine, field));
}

export interface QueryShape extends RecordQuery {
  /** No less than its limit, and part of its shape. */
  readonly atMost: number;
}

/** Brings a query into the form of its shape: the order of conditions in a request makes no new statement. */
export function inOneOrder(query: RecordQuery): RecordQuery {
  if (query.conditions.length < 2) return query;
  return {
    ...query,
    conditions: query.conditions.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1)),
  };
}

/** Everything that makes another statement: queries of the same shape differ only in their values. */
export function shapeOf(query: RecordQuery): string {
  const { collection, conditions, sort, limit } = query;
  const optional = [query.owner, query.state, query.after, query.until ?? null, query.expiredAt];
  const given = optional.map((one) => (one === null ? 0 : 1)).join('');
  const order = `${sort.descending ? '-' : '+'}${nameOf(sort.field)}`;
  const people = `${query.states ?? ''} ${JSON.stringify(query.memberOf?.roles)} ${shapeOfMembers(query.members)}`;
  return `${collection} ${given} ${atMost(limit)} ${order} ${conditions.map(rank).join()} ${people} ${shapeOfUnder(query.under)}`;
}

function shapeOfUnder(under: RecordQuery['under']): string {
  if (under === undefined) return '-';
  const { states, ownStates, roles } = under.visible ?? {};
  return JSON.stringify([states, ownStates, roles]);
}

export function shapeOfMembers(members: RecordQuery['members']): string {
  return members === undefined ? '' : `${members.roles}/${members.rolesOfAll}`;
}

/** The values of a query, each with its own placeholder. */
export function valuesOf(query: RecordQuery): readonly unknown[] {
  const { owner, state, expiredAt, limit } = query;
  const placeOf = (place: RecordQuery['until']) => [place ? comparable(place.value) : null, place?.id];
  const compared = query.conditions.map(({ value }) => comparable(value));
  const member = query.memberOf?.member ?? query.members?.member ?? query.under?.visible?.member;
  const places = [...placeOf(query.after), ...placeOf(query.until)];
  return [owner, state, expiredAt, limit, member, query.under?.id ?? null, ...places, ...compared];
}

/** The same query with other values at these placeholders. */
export function withValues(query: RecordQuery, values: readonly never[]): QueryShape {
  const [
    owner,
    state,
    expiredAt,
    limit,
    member,
    parentId,
    afterValue,
    afterId,
    untilValue,
    untilId,
    ...compared
  ] = values as never[];
  const { conditions, memberOf, members, under } = query;
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
    under: under && {
      ...under,
      id: parentId as never,
      visible: under.visible && { ...under.visible, member: member as never },
    },
    conditions: conditions.map((condition, index) => ({
      ...condition,
      value: compared[index] as unknown as FieldValue,
    })),
  };
}

/** Rounded up, so that there are few shapes. */
function atMost(limit: number): number {
  return 2 ** Math.ceil(Math.log2(limit));
}

function rank({ field, operator }: RecordQuery['conditions'][number]): string {
  return `${nameOf(field)} ${operator}`;
}

function nameOf(field: RecordQuery['sort']['field']): string {
  return field === 'created_at' ? '' : field.name;
}

export const recordColumns = Object.keys(tables.records.columns).map(
  nameIn,
) as (keyof BatchTables['records'])[];

function recordOf(row: Row): StoredRecord {
  const [collection, id, owner, parentId, state, revision, createdAt, updatedAt, body] = row as RecordValues;
  return { collection, id, owner, parentId, state, revision, createdAt, updatedAt, body };
}

type Text = string | null;
type RecordValues = readonly [string, string, string, Text, Text, string, number, number, string];

/** Adds a column with the members: "role member" of each, one per line. */
export function recordWithMembers(row: Row): RecordWithMembers {
  const record = recordOf(row);
  if (row.length === recordColumns.length) return record;
  const text = row.at(-1);
  return { ...record, members: typeof text === 'string' ? text.split('\n').map(memberOf) : [] };
}

function memberOf(text: string): RecordMember {
  const [role = '', member = ''] = text.split(' ');
  return { role, member };
}
