import { sql } from 'kysely';
import type { Database } from '../schema.ts';
import { markName } from './mark.ts';
import type { CopiedTable } from './tables.ts';

export type Row = Readonly<Record<string, unknown>>;
type Key = readonly unknown[];

/** The rows of a table after a key, in the order of keys, which is the same on both databases: byte by byte. */
export async function pageOf(
  database: Database,
  table: CopiedTable,
  after: Key | null,
  limit: number,
): Promise<readonly Row[]> {
  const columns = sql.join(table.key.map((column) => sql.ref(column)));
  const from = after === null ? sql`` : sql`and (${columns}) > (${sql.join(after)})`;
  const { rows } = await sql<Row>`select * from ${sql.table(table.name)} where ${isCopied(table)} ${from}
    order by ${columns} limit ${sql.lit(limit)}`.execute(database);
  return rows;
}

/** The key of the last row, where a copy that was interrupted goes on; null when there is none yet. */
export async function lastKeyOf(database: Database, table: CopiedTable): Promise<Key | null> {
  const columns = table.key.map((column) => sql.ref(column));
  const descending = sql.join(columns.map((column) => sql`${column} desc`));
  const { rows } = await sql<Row>`select ${sql.join(columns)} from ${sql.table(table.name)}
    where ${isCopied(table)} order by ${descending} limit 1`.execute(database);
  return rows[0] === undefined ? null : keyOf(table, rows[0]);
}

export function keyOf({ key }: CopiedTable, row: Row): Key {
  return key.map((column) => row[column]);
}

/** The mark of the move itself belongs to one database. */
function isCopied({ name }: CopiedTable) {
  return name === 'documents' ? sql`name <> ${markName}` : sql`1 = 1`;
}
