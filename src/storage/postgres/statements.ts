import { Buffer } from 'node:buffer';
import { nameIn, type RowsByKey, type RowsWritten, type Table } from '../batch/table.ts';

/** The statements for lookups and writes of the description: one for any number of rows. */

export type Row = Readonly<Record<string, unknown>>;
/** One JSON value is a third cheaper to send than an array for each column. */
export interface Statement {
  readonly sql: string;
  readonly json: (rows: readonly Row[]) => string;
}

const types = { text: 'text', integer: 'bigint', bytes: 'bytea' } as const;

/**
 * One lookup in the index for each key: `offset 0` keeps the subquery apart. PostgreSQL expects a hundred rows of JSON, and would
 * scan a table of some thousand rows in a join.
 */
export function findStatement({ table, by, read, how, order, isLimited, isLocked }: RowsByKey): Statement {
  const columns = (names: readonly string[]) =>
    names.map((one) => `${table.name}.${nameIn(one)} as "${one}"`);
  const selected = how === 'counts' ? [...columns([...by, ...read]), 'count(*) as count'] : columns(read);
  const sql = [
    `select found.* from ${keysAs(table, by, isLimited)} cross join lateral (`,
    `select ${selected.join(', ')} from ${table.name} where ${same(table, by)}`,
    ...(how === 'counts'
      ? [`group by ${[...by, ...read].map((one) => `${table.name}.${nameIn(one)}`).join(', ')}`]
      : []),
    ...(order.length === 0 ? [] : [`order by ${order.map(nameIn).join(', ')}`]),
    ...(isLimited ? ['limit one."limit"'] : []),
    isLocked ? 'for update' : 'offset 0',
    ') as found',
  ].join(' ');
  return { sql, json: jsonOf(table, isLocked ? by : []) };
}

/** Rows are written in the order of their keys, which is the order of locks for all processes. */
export function writeStatement(write: RowsWritten): Statement {
  const { table, by, how } = write;
  return { sql: texts[how](write), json: jsonOf(table, how === 'append' ? [] : by) };
}

const texts: Readonly<Record<RowsWritten['how'], (write: RowsWritten) => string>> = {
  insert: (write) => inserting(write, (name) => `greatest(one."${name}", 0)`),

  // An upsert, even if each row exists: PostgreSQL would scan a small table for an update.
  put(write) {
    const { name, columns, key } = write.table;
    const others = Object.keys(columns).filter((one) => !key.includes(one));
    const set = others.map((one) => {
      const to = nameIn(one);
      return columns[one]?.isAdded
        ? `${to} = greatest(${name}.${to} + excluded.${to}, 0)`
        : `${to} = excluded.${to}`;
    });
    const sql = inserting(write, (one) => `one."${one}"`);
    return `${sql} on conflict (${key.map(nameIn).join(', ')}) do update set ${set.join(', ')}`;
  },

  add({ table, by }) {
    const { name, key } = table;
    const changed = by.filter((one) => !key.includes(one));
    const set = changed.map((one) => `${nameIn(one)} = greatest(${name}.${nameIn(one)} + one."${one}", 0)`);
    return `update ${name} set ${set.join(', ')} from ${keysAs(table, by)} where ${same(table, key)}`;
  },

  remove: ({ table, by }) => `delete from ${table.name} using ${keysAs(table, by)} where ${same(table, by)}`,

  /** The record above is locked, so the numbers that follow the last one are free. */
  append({ table, kept }) {
    const { name, key, columns } = table;
    const of = key.slice(0, -1);
    const numbered = key.at(-1) ?? '';
    const given = Object.keys(columns).filter((one) => one !== numbered);
    const list = (names: readonly string[], from: string) =>
      names.map((one) => `${from}."${one}"`).join(', ');
    const number = `${name}.${nameIn(numbered)}`;
    return `with added as (
        select one.*, row_number() over (partition by ${list(of, 'one')} order by place) as nth
        from rows from (json_to_recordset($1) as (${typed(table, given)})) with ordinality
          as one (${given.map((one) => `"${one}"`).join(', ')}, place)),
      latest as (
        select ${list(of, 'one')}, max(nth) as added,
          coalesce((select max(${number}) from ${name} where ${same(table, of)}), 0) as last
        from added as one group by ${list(of, 'one')}),
      old as (
        delete from ${name} using latest as one
        where ${same(table, of)} and ${number} <= one.last + one.added - ${kept})
      insert into ${name} (${[...given, numbered].map(nameIn).join(', ')})
      select ${list(given, 'added')}, latest.last + nth from added join latest using (${of.map((one) => `"${one}"`).join(', ')})`;
  },
};

function inserting({ table, under }: RowsWritten, addedAs: (name: string) => string): string {
  const all = Object.keys(table.columns);
  const values = all.map((one) => (table.columns[one]?.isAdded ? addedAs(one) : `one."${one}"`));
  const above = under?.key.map((one, index) => `${under.name}.${nameIn(one)} = one."${table.key[index]}"`);
  const exists =
    above === undefined
      ? ''
      : `cross join lateral (select from ${under?.name} where ${above.join(' and ')} offset 0) as above`;
  return `insert into ${table.name} (${all.map(nameIn).join(', ')})
    select ${values.join(', ')} from ${keysAs(table, all)} ${exists}`;
}

/** A lock on the rows of these keys. */
export function lockStatement(table: Table): Statement {
  const { name, key } = table;
  return {
    sql: `select from ${keysAs(table, key)} cross join lateral (select from ${name} where ${same(table, key)} for update) as found`,
    json: jsonOf(table, key),
  };
}

function keysAs(table: Table, names: readonly string[], isLimited = false): string {
  return `json_to_recordset($1) as one (${typed(table, names)}${isLimited ? ', "limit" bigint' : ''})`;
}

function typed({ columns }: Table, names: readonly string[]): string {
  return names.map((name) => `"${name}" ${types[columns[name]?.type ?? 'text']}`).join(', ');
}

function same({ name }: Table, names: readonly string[]): string {
  return names.map((one) => `${name}.${nameIn(one)} = one."${one}"`).join(' and ');
}

/** What has no column is ignored by the database. */
function jsonOf({ columns }: Table, sortedBy: readonly string[]): Statement['json'] {
  const binary = Object.keys(columns).filter((name) => columns[name]?.type === 'bytes');
  const plain = (row: Row) => {
    const copy: Record<string, unknown> = { ...row };
    for (const name of binary)
      if (copy[name] instanceof Uint8Array) copy[name] = `\\x${Buffer.from(copy[name]).toString('hex')}`;
    return copy;
  };
  return (rows) => {
    const asText = binary.length === 0 ? rows : rows.map(plain);
    return JSON.stringify(asText.length < 2 || sortedBy.length === 0 ? asText : inOrder(asText, sortedBy));
  };
}

function inOrder(rows: readonly Row[], names: readonly string[]): readonly Row[] {
  return rows.toSorted((one, other) => {
    const name = names.find((each) => one[each] !== other[each]);
    return name === undefined ? 0 : String(one[name]) < String(other[name]) ? -1 : 1;
  });
}
