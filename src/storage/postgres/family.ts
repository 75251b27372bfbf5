import { comparable, fieldText, quoted } from '../field-text.ts';
import type { BatchChanges, BatchKeys, Loaded, StoredRecord, UniqueValues } from '../port.ts';
import { recordColumns, toRecord } from '../rows.ts';
import type { Tables } from '../schema.ts';
import { longestHistory } from '../stores/record-history.ts';
import type { Transaction } from './transaction.ts';

/** The statements of a batch for records with parents. */

export type Ask = <Found>(isNeeded: boolean, sql: string, parameters: readonly unknown[]) => Promise<Found[]>;

export const columnsOfRecords = recordColumns.map((column) => `records.${column}`).join(', ');

/**
 * Finds the named records, those that invitations lead to, and all that these are under. Locks those above first: there is one order of locks.
 * Each record is looked up by its key (`lateral`): PostgreSQL expects many rows of a recursive query, and would scan the table.
 */
export const lockWithAbove = `with recursive
    parents as (select * from json_to_recordset($3) as one (child text, field text, collection text, level integer)),
    chain as (
      select * from unnest($1::text[], $2::text[]) as named (collection, id)
      union
      select collection, record_id from invitations where digest = any($4::bytea[])
      union
      select parents.collection, below.body::json ->> parents.field from chain
        join parents on parents.child = chain.collection
        cross join lateral (select body from records
          where records.collection = chain.collection and records.id = chain.id limit 1) as below)
  select found.* from (
      select chain.collection, chain.id from chain left join parents on parents.child = chain.collection
      order by coalesce(parents.level, 0), chain.collection, chain.id) as named
    cross join lateral (select ${columnsOfRecords} from records
      where records.collection = named.collection and records.id = named.id for update) as found`;

interface LoadedFamily extends Pick<Loaded, 'tallies' | 'unique' | 'waiting' | 'children'> {
  readonly waitingRecords: readonly StoredRecord[];
}

export async function loadFamily(ask: Ask, keys: BatchKeys): Promise<LoadedFamily | null> {
  const { tallies, unique = [], waiting = [], children = [] } = keys;
  if (tallies === undefined) return null;
  const counted = ask<Tables['tallies']>(
    tallies.length > 0,
    `select tallies.collection, record_id, tallies.child, state, n from tallies
       join unnest($1::text[], $2::text[], $3::text[]) as wanted (collection, id, child)
       on tallies.collection = wanted.collection and record_id = wanted.id and tallies.child = wanted.child`,
    [
      tallies.map(({ collection }) => collection),
      tallies.map(({ id }) => id),
      tallies.map(({ child }) => child),
    ],
  );
  const same = [...Map.groupBy(unique, ({ collection, rule }) => `${collection} ${rule}`).values()].map(
    (group) => holdersOf(ask, group),
  );
  const lines = waiting.map(async ({ field, state, limit, ...of }) => {
    const found = await ask<Tables['records']>(
      true,
      `select ${columnsOfRecords} from records where collection = ${quoted(of.child)} and ${parentText(field)} = $1
         and state = ${quoted(state)} order by created_at, id limit ${limit} for update`,
      [of.id],
    );
    return { ...of, records: found.map(toRecord) };
  });
  const below = children.map(async ({ field, limit, ...of }) => {
    const found = await ask<{ id: string }>(
      true,
      `select id from records where collection = ${quoted(of.child)} and ${parentText(field)} = $1 limit ${limit}`,
      [of.id],
    );
    return { ...of, ids: found.map(({ id }) => id) };
  });
  // Attached at once: an unhandled rejection of one of them would end the process.
  const [rows, holders, inLine, under] = await Promise.all([
    counted,
    Promise.all(same),
    Promise.all(lines),
    Promise.all(below),
  ]);
  return {
    tallies: rows.map(({ collection, record_id, child, state, n }) => {
      return { collection, id: record_id, child, state, count: Number(n) };
    }),
    unique: holders.flat(),
    waiting: inLine.map(({ records, ...of }) => ({ ...of, ids: records.map(({ id }) => id) })),
    waitingRecords: inLine.flatMap(({ records }) => records),
    children: under,
  };
}

function parentText(field: string): string {
  return fieldText('postgres', { name: field, kind: 'text' });
}

const types = { text: 'text', number: 'double precision', boolean: 'integer' } as const;

/** The records with the values of a unique rule: one index lookup for each. */
async function holdersOf(ask: Ask, group: readonly UniqueValues[]): Promise<NonNullable<Loaded['unique']>> {
  const [first] = group;
  if (first === undefined) return [];
  const { collection, rule, columns: by, states } = first;
  const typeOf = (column: UniqueValues['columns'][number]) =>
    column === 'owner' ? 'text' : types[column.kind];
  const names = by.map((_, index) => `v${index}`);
  const conditions = by.map(
    (column, index) => `${column === 'owner' ? 'owner' : fieldText('postgres', column)} = wanted.v${index}`,
  );
  const counted = states === null ? '' : ` and state in (${states.map(quoted).join(', ')})`;
  const found = await ask<{ place: string; id: string }>(
    true,
    `select wanted.place, held.id from
       unnest($1::integer[], ${by.map((column, index) => `$${index + 2}::${typeOf(column)}[]`).join(', ')})
         as wanted (place, ${names.join(', ')}),
       lateral (select id from records where collection = ${quoted(collection)} and ${conditions.join(' and ')}${counted}
         limit 2) as held`,
    [
      group.map((_, index) => index),
      ...by.map((_, index) => group.map(({ values }) => comparable(values[index] ?? ''))),
    ],
  );
  return found.map(({ place, id }) => {
    const { values } = group[Number(place)] ?? first;
    return { collection, rule, key: JSON.stringify(values), id };
  });
}

export function applyFamily(transaction: Transaction, { tallies = [], childWork = [] }: BatchChanges): void {
  // A tally is deleted with its record.
  if (tallies.length > 0)
    void transaction.run(
      `insert into tallies (collection, record_id, child, state, n)
       select one.collection, one.id, one.child, one.state, one.count
       from json_to_recordset($1) as one (collection text, id text, child text, state text, count bigint)
         join records on records.collection = one.collection and records.id = one.id
       order by one.collection, one.id, one.child, one.state
       on conflict (collection, record_id, child, state) do update set n = tallies.n + excluded.n`,
      [JSON.stringify(tallies)],
    );
  if (childWork.length > 0)
    void transaction.run(
      `insert into child_work (child, parent_id, what, new_owner, at)
       select child, "parentId", what, owner, at
       from json_to_recordset($1) as one (child text, "parentId" text, what text, owner text, at bigint)
       on conflict (child, parent_id, what) do update set new_owner = excluded.new_owner`,
      [JSON.stringify(childWork)],
    );
}

/** The records are locked, so the numbers that follow the last one are free. */
export function applyHistory(transaction: Transaction, { history = [] }: BatchChanges): void {
  if (history.length === 0) return;
  void transaction.run(
    `with added as (
        select collection, "recordId" as record_id, at, action, "from", "to", role,
          row_number() over (partition by collection, "recordId" order by place) as nth
        from rows from (json_to_recordset($1) as (collection text, "recordId" text, at bigint, action text, "from" text, "to" text,
          role text)) with ordinality as one (collection, "recordId", at, action, "from", "to", role, place)),
      latest as (
        select collection, record_id, max(nth) as added, coalesce((select max(n) from record_history
          where record_history.collection = added.collection and record_history.record_id = added.record_id), 0) as n
        from added group by collection, record_id),
      old as (
        delete from record_history using latest
        where record_history.collection = latest.collection and record_history.record_id = latest.record_id
          and record_history.n <= latest.n + latest.added - ${longestHistory})
     insert into record_history (collection, record_id, n, at, action, from_state, to_state, role)
     select collection, record_id, latest.n + nth, at, action, "from", "to", role from added join latest using (collection, record_id)`,
    [JSON.stringify(history)],
  );
}
