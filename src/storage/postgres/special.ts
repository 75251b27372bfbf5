import type { Rows } from '../batch/run.ts';
import { nameIn, put, remove, rows, type SpecialIn } from '../batch/table.ts';
import {
  type BatchChanges,
  type BatchKeys,
  type lookups,
  tables,
  type UniqueHolder,
  type UniqueValues,
  type writes,
} from '../batch/tables.ts';
import type { NewEvent } from '../event-port.ts';
import { comparable, fieldText, quoted } from '../field-text.ts';
import { appendLock } from '../stores/events.ts';
import { findStatement, lockStatement, writeStatement } from './statements.ts';
import { lockName, takeLock } from './transaction.ts';

/** What the description of the tables does not say. */

export type Run = (
  sql: string,
  parameters: readonly unknown[],
) => Promise<{ readonly rows: readonly unknown[] }>;

type Loads = {
  readonly [Name in SpecialIn<typeof lookups>]: (
    run: Run,
    wanted: NonNullable<BatchKeys[Name]>,
    keys: BatchKeys,
  ) => Promise<Rows[Name]>;
};
type Writes = {
  readonly [Name in SpecialIn<typeof writes>]: (run: Run, rows: NonNullable<BatchChanges[Name]>) => void;
};

const record = findStatement(rows(tables.records, ['collection', 'id'], { isLocked: true }));
const recordColumns = Object.keys(tables.records.columns).map((one) => `${nameIn(one)} as "${one}"`);

/**
 * Finds the named records and all that these are under. Locks those above first: there is one order of locks. Each record is
 * looked up by its key (`lateral`): PostgreSQL expects many rows of a recursive query, and would scan the table.
 */
export const recordsAndAncestors = `with recursive
    parents as (select * from json_to_recordset($2) as one (child text, collection text, level integer)),
    chain as (
      select collection collate "C", id collate "C" from json_to_recordset($1) as named (collection text, id text)
      union
      select parents.collection collate "C", below.parent_id from chain
        join parents on parents.child = chain.collection
        cross join lateral (select parent_id from records
          where records.collection = chain.collection and records.id = chain.id limit 1) as below)
  select found.* from (
      select chain.collection, chain.id from chain left join parents on parents.child = chain.collection
      order by coalesce(parents.level, 0), chain.collection, chain.id) as named
    cross join lateral (select ${recordColumns.join(', ')} from records
      where records.collection = named.collection and records.id = named.id for update) as found`;

export const specialLoads: Loads = {
  async records(run, wanted, { parents }) {
    const found =
      parents === undefined
        ? await run(record.sql, [record.json(wanted as never)])
        : await run(recordsAndAncestors, [JSON.stringify(wanted), JSON.stringify(parents)]);
    return found.rows as Rows['records'];
  },

  async unique(run, wanted) {
    const groups = Map.groupBy(wanted, ({ collection, rule }) => `${collection} ${rule}`);
    const found = [...groups.values()].map((group) => holdersOf(run, group));
    return (await Promise.all(found)).flat();
  },

  async newcomers(run, wanted) {
    const found = wanted.map(async ({ since, maxCount }) => {
      // The kind is a literal, so that the partial index is used.
      const { rows: counted } = await run(
        `select count(*) as count from
           (select from consumers where kind = 'user' and registered_at >= $1 limit $2) as newcomers`,
        [since, maxCount],
      );
      return counted as Rows['newcomers'];
    });
    return (await Promise.all(found)).flat();
  },
};

const types = { text: 'text', number: 'double precision', boolean: 'integer' } as const;

/** The records with the values of a unique rule: one index lookup for each. The collection is a literal, so that its index is used. */
async function holdersOf(run: Run, group: readonly UniqueValues[]): Promise<readonly UniqueHolder[]> {
  const [first] = group;
  if (first === undefined) return [];
  const { collection, rule, columns, states } = first;
  const typeOf = (column: UniqueValues['columns'][number]) =>
    column === 'owner' ? 'text' : types[column.kind];
  const conditions = columns.map(
    (column, index) => `${column === 'owner' ? 'owner' : fieldText('postgres', column)} = wanted.v${index}`,
  );
  const counted = states === null ? '' : ` and state in (${states.map(quoted).join(', ')})`;
  const { rows: found } = await run(
    `select wanted.place, held.id from
       unnest($1::integer[], ${columns.map((column, index) => `$${index + 2}::${typeOf(column)}[]`).join(', ')})
         as wanted (place, ${columns.map((_, index) => `v${index}`).join(', ')}),
       lateral (select id from records where collection = ${quoted(collection)} and ${conditions.join(' and ')}${counted}
         limit 2) as held`,
    [
      group.map((_, index) => index),
      ...columns.map((_, index) => group.map(({ values }) => comparable(values[index] ?? ''))),
    ],
  );
  return (found as { place: number; id: string }[]).map(({ place, id }) => {
    const { values } = group[place] ?? first;
    return { collection, rule, key: JSON.stringify(values), id };
  });
}

const putRecord = writeStatement(put(tables.records));
const removeRecord = writeStatement(remove(tables.records, ['collection', 'id']));
const usageLock = lockStatement(tables.usage);

export const specialWrites: Writes = {
  steps(run, steps) {
    for (const { put: after, removed } of steps) {
      if (after !== undefined) void run(putRecord.sql, [putRecord.json([after as never])]);
      if (removed !== undefined) void run(removeRecord.sql, [removeRecord.json([removed as never])]);
    }
  },
  events: append,
};

/** Two statements change usage: its rows are locked in one order before both. */
export const before: Readonly<Record<string, (run: Run, changes: BatchChanges) => void>> = {
  newUsage(run, { changedUsage = [], movedUsage = [] }) {
    if (movedUsage.length > 0)
      void run(usageLock.sql, [usageLock.json([...changedUsage, ...movedUsage] as never)]);
  },
};

/** Runs last, because appending transactions wait for each other until the commit. The position is read after the lock is taken. */
function append(run: Run, events: readonly NewEvent[]): void {
  void run(takeLock, [lockName(appendLock)]);
  void run(
    `insert into events (position, at, type, collection, record_id, owner, data)
     select (select coalesce(max(position), 0) from events) + nth, at, type, collection, "recordId", owner, data
     from rows from (json_to_recordset($1) as (at bigint, type text, collection text, "recordId" text, owner text, data text))
       with ordinality as one (at, type, collection, "recordId", owner, data, nth)`,
    [JSON.stringify(events.map(({ topics: _, ...event }) => event))],
  );
  // The events just appended are the last ones, in the same order.
  const topics = events.flatMap(({ topics = [] }, index) =>
    topics.map(({ topic, hasFields }) => {
      return { topic: `\\x${topic}`, back: events.length - 1 - index, fields: hasFields ? 1 : 0 };
    }),
  );
  if (topics.length > 0)
    void run(
      `insert into event_topics (topic, position, fields)
       select topic, (select max(position) from events) - back, fields
       from json_to_recordset($1) as one (topic bytea, back bigint, fields bigint)`,
      [JSON.stringify(topics)],
    );
}
