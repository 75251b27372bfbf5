import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { nameIn, type RowsByKey, type RowsWritten } from '../batch/table.ts';

/** The statements for lookups and writes of the description. */

export type Row = Readonly<Record<string, SQLInputValue>>;

/** The rows for one key. SQLite makes lists of values in half the time of objects with names. */
export function finder(database: DatabaseSync, lookup: RowsByKey): (key: Row) => unknown[] {
  const { table, by, read, order, isLimited, how } = lookup;
  const columns = how === 'counts' ? [...by, ...read] : read;
  const names = how === 'counts' ? [...columns, 'count'] : columns;
  const sql = [
    `select ${columns.map(nameIn).join(', ')}${how === 'counts' ? ', count(*)' : ''} from ${table.name} where ${equal(by)}`,
    ...(how === 'counts' ? [`group by ${read.map(nameIn).join(', ')}`] : []),
    ...(order.length === 0 ? [] : [`order by ${order.map(nameIn).join(', ')}`]),
    ...(isLimited ? ['limit ?'] : []),
  ].join(' ');
  const given = isLimited ? [...by, 'limit'] : by;
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  const named = (values: readonly unknown[]) => {
    const row: Record<string, unknown> = {};
    for (const [index, name] of names.entries()) row[name] = values[index];
    return row;
  };
  return (key) => (statement.all(...valuesOf(key, given)) as unknown as unknown[][]).map(named);
}

export function writer(database: DatabaseSync, write: RowsWritten): (row: Row) => void {
  if (write.how === 'append') return appender(database, write);
  const [columns, sql] = textsOf[write.how](write);
  const statement = database.prepare(sql);
  return (row) => void statement.run(...valuesOf(row, columns));
}

/** Old rows are deleted only once there are any. */
function appender(database: DatabaseSync, write: RowsWritten): (row: Row) => void {
  const { name, key } = write.table;
  const of = key.slice(0, -1);
  const numbered = key.at(-1) ?? '';
  const number = nameIn(numbered);
  const next = `coalesce((select max(${number}) from ${name} where ${equal(of)}), 0) + 1`;
  const [all, sql] = inserting(write, (one) => (one === numbered ? next : '?'));
  const given = all.flatMap((one) => (one === numbered ? of : [one]));
  const added = database.prepare(`${sql} returning ${number} as n`);
  const old = database.prepare(`delete from ${name} where ${equal(of)} and ${number} <= ?`);
  return (row) => {
    const { n } = added.get(...valuesOf(row, given)) as { n: number };
    if (n > write.kept) old.run(...valuesOf(row, of), n - write.kept);
  };
}

function valuesOf(row: Row, columns: readonly string[]): SQLInputValue[] {
  const values: SQLInputValue[] = [];
  for (const name of columns) values.push(row[name] as SQLInputValue);
  return values;
}

/** The columns whose values it needs, and its text. */
type Statement = readonly [columns: readonly string[], sql: string];

const textsOf: Readonly<Record<Exclude<RowsWritten['how'], 'append'>, (write: RowsWritten) => Statement>> = {
  insert: (write) => inserting(write, (name) => (write.table.columns[name]?.isAdded ? 'max(?, 0)' : '?')),

  put(write) {
    const { columns, key } = write.table;
    const [all, sql] = inserting(write, () => '?');
    const set = all
      .filter((name) => !key.includes(name))
      .map((name) => {
        const to = nameIn(name);
        return columns[name]?.isAdded ? `${to} = max(${to} + excluded.${to}, 0)` : `${to} = excluded.${to}`;
      });
    return [all, `${sql} on conflict (${key.map(nameIn).join(', ')}) do update set ${set.join(', ')}`];
  },

  add({ table: { name, key }, by }) {
    const changed = by.filter((one) => !key.includes(one));
    const set = changed.map((one) => `${nameIn(one)} = max(${nameIn(one)} + ?, 0)`).join(', ');
    return [[...changed, ...key], `update ${name} set ${set} where ${equal(key)}`];
  },

  remove: ({ table: { name }, by }) => [by, `delete from ${name} where ${equal(by)}`],
};

function inserting({ table, under }: RowsWritten, placeholder: (name: string) => string): Statement {
  const all = Object.keys(table.columns);
  const into = `insert into ${table.name} (${all.map(nameIn).join(', ')})`;
  const values = all.map(placeholder).join(', ');
  if (under === null) return [all, `${into} values (${values})`];
  const above = under.key.map((one, index) => [nameIn(one), table.key[index] ?? ''] as const);
  const exists = above.map(([name]) => `${name} = ?`).join(' and ');
  return [
    [...all, ...above.map(([, name]) => name)],
    `${into} select ${values} where exists (select 1 from ${under.name} where ${exists})`,
  ];
}

function equal(names: readonly string[]): string {
  return names.map((name) => `${nameIn(name)} = ?`).join(' and ');
}
