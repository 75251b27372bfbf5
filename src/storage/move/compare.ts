import { Buffer } from 'node:buffer';
import type { Database } from '../schema.ts';
import { keyOf, pageOf, type Row } from './pages.ts';
import { type CopiedTable, copiedTables } from './tables.ts';

/** The digest of a text and of what came before it. */
export type ChainDigest = (before: string, text: string) => string;

export interface TableSum {
  readonly table: string;
  readonly rows: number;
  readonly digest: string;
}

const readAtOnce = 1_000;

/** Every row of every table, as counts and digests that are the same for the same rows on both databases. */
export async function sumTables(database: Database, digest: ChainDigest): Promise<readonly TableSum[]> {
  const sums: TableSum[] = [];
  for (const table of copiedTables) sums.push(await sumTable(database, table, digest));
  return sums;
}

async function sumTable(database: Database, table: CopiedTable, digest: ChainDigest): Promise<TableSum> {
  let sum = '';
  let count = 0;
  let after: readonly unknown[] | null = null;
  for (;;) {
    const rows = await pageOf(database, table, after, readAtOnce);
    const last = rows.at(-1);
    if (last === undefined) return { table: table.name, rows: count, digest: sum };
    sum = digest(sum, rows.map(textOf).join('\n'));
    count += rows.length;
    after = keyOf(table, last);
  }
}

/** The columns come in another order from each database. */
function textOf(row: Row): string {
  const columns = Object.keys(row).sort();
  return JSON.stringify(columns.map((column) => [column, plain(row[column])]));
}

function plain(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
}
