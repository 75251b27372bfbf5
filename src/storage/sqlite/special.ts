import { Buffer } from 'node:buffer';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Rows } from '../batch/run.ts';
import { put, remove, rows, type SpecialIn } from '../batch/table.ts';
import {
  type BatchChanges,
  type BatchKeys,
  type lookups,
  type RecordName,
  type StoredRecord,
  tables,
  type UniqueValues,
  type writes,
} from '../batch/tables.ts';
import type { NewEvent } from '../event-port.ts';
import { comparable, fieldText, quoted } from '../field-text.ts';
import { nextMark } from './residue.ts';
import { finder, type Row, writer } from './statements.ts';

/** What the description of the tables does not say. */

type Loads = {
  readonly [Name in SpecialIn<typeof lookups>]: (
    wanted: NonNullable<BatchKeys[Name]>,
    keys: BatchKeys,
  ) => Rows[Name][number][];
};
type Writes = {
  readonly [Name in SpecialIn<typeof writes>]: (rows: NonNullable<BatchChanges[Name]>) => void;
};

export function sqliteSpecial(database: DatabaseSync): {
  readonly loads: Loads;
  readonly writes: Writes;
  readonly noteDeletion: () => void;
} {
  const find = finder(database, rows(tables.records, ['collection', 'id']));
  const record = ({ collection, id }: RecordName) => find({ collection, id }) as StoredRecord[];
  const putRecord = writer(database, put(tables.records));
  const removeRecord = writer(database, remove(tables.records, ['collection', 'id']));
  // The kind is a literal, so that the partial index is used.
  const newcomers = database.prepare(
    `select count(*) as count from (select 1 from consumers where kind = 'user' and registered_at >= ? limit ?)`,
  );
  const mark = database.prepare('pragma user_version');
  return {
    loads: {
      records: (wanted, { parents }) => withAncestors(wanted.flatMap(record), parents, record),
      unique: holdersIn(database),
      newcomers: (wanted) =>
        wanted.map(({ since, maxCount }) => ({ count: Number(newcomers.get(since, maxCount)?.count) })),
    },
    writes: {
      steps(steps) {
        for (const { put: after, removed } of steps) {
          if (after !== undefined) putRecord(after as unknown as Row);
          if (removed !== undefined) removeRecord(removed as unknown as Row);
        }
      },
      events: appendTo(database),
    },
    noteDeletion() {
      const { user_version: last } = mark.get() as { readonly user_version: number };
      database.exec(`pragma user_version = ${nextMark(last, false)}`);
    },
  };
}

function withAncestors(
  records: StoredRecord[],
  parents: BatchKeys['parents'],
  find: (name: RecordName) => readonly StoredRecord[],
): StoredRecord[] {
  if (parents === undefined) return records;
  const all = new Map(records.map((one) => [`${one.collection} ${one.id}`, one]));
  // A loop over a Map also visits entries that are added meanwhile.
  for (const below of all.values()) {
    const { collection } = parents.find(({ child }) => child === below.collection) ?? {};
    if (collection === undefined || below.parentId === null) continue;
    const name = `${collection} ${below.parentId}`;
    if (all.has(name)) continue;
    for (const one of find({ collection, id: below.parentId })) all.set(name, one);
  }
  return [...all.values()];
}

/** Finds the records with the values of unique rules. */
function holdersIn(database: DatabaseSync): Loads['unique'] {
  // Statements for declared collections: their number is bounded.
  const statements = new Map<string, StatementSync>();
  return (wanted) =>
    wanted.flatMap((one) => {
      const text = textOfHolders(one);
      const statement = statements.get(text) ?? database.prepare(text);
      statements.set(text, statement);
      const { collection, rule, values } = one;
      const found = statement.all(...values.map(comparable)) as { id: string }[];
      return found.map(({ id }) => ({ collection, rule, key: JSON.stringify(values), id }));
    });
}

/** The collection is a literal, so that its index is used. */
function textOfHolders({ collection, columns, states }: UniqueValues): string {
  const conditions = columns.map((column) =>
    column === 'owner' ? 'owner = ?' : `${fieldText('sqlite', column)} = ?`,
  );
  const counted = states === null ? '' : ` and state in (${states.map(quoted).join(', ')})`;
  return `select id from records where collection = ${quoted(collection)} and ${conditions.join(' and ')}${counted} limit 2`;
}

/** The transaction is the only writer, so the next position is free. */
function appendTo(database: DatabaseSync): (events: readonly NewEvent[]) => void {
  const last = database.prepare('select max(position) as last from events');
  const insert = database.prepare(
    `insert into events (position, at, type, collection, record_id, owner, data) values (?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertTopic = database.prepare('insert into event_topics (topic, position, fields) values (?, ?, ?)');
  return (events) => {
    let position = Number(last.get()?.last ?? 0);
    for (const { at, type, collection, recordId, owner, data, topics = [] } of events) {
      position += 1;
      insert.run(position, at, type, collection, recordId, owner, data);
      for (const { topic, hasFields } of topics)
        insertTopic.run(Buffer.from(topic, 'hex'), position, hasFields ? 1 : 0);
    }
  };
}
