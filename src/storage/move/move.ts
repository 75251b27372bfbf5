import { sql } from 'kysely';
import { OperatorError } from '../../base/errors.ts';
import { createRecordId } from '../../base/random.ts';
import type { Database } from '../schema.ts';
import { type ChainDigest, sumTables, type TableSum } from './compare.ts';
import { claimByMark, readMark, removeMark, writeMark } from './mark.ts';
import { keyOf, lastKeyOf, pageOf, type Row } from './pages.ts';
import { type CopiedTable, copiedTables } from './tables.ts';

export interface Side {
  readonly database: Database;
  /** To be shown: without a password. */
  readonly name: string;
}

export interface MoveOptions {
  /** An SQLite file that nobody else has open. */
  readonly from: Side;
  /** A PostgreSQL database with the schema of this release and nothing in it, or what an interrupted move has left. */
  readonly to: Side;
  readonly rowsAtOnce: number;
  readonly digest: ChainDigest;
  readonly now: number;
}

/**
 * Copies every row as it is, in batches in the order of keys: what is there is the beginning of what is to come, so a move
 * that was interrupted goes on after the last row. The mark on each side keeps everybody else out until all of it is equal.
 */
export async function moveRows(options: MoveOptions): Promise<readonly TableSum[]> {
  const { from, to, rowsAtOnce, digest } = options;
  const id = await begin(options);
  if (id === null) return [];
  for (const table of copiedTables) await copyTable(from.database, to.database, table, rowsAtOnce);
  await continueCounter(to.database);
  const sums = await sumTables(from.database, digest);
  refuseDifferent(sums, await sumTables(to.database, digest));
  // In this order: at no time could both be used.
  await writeMark(from.database, { state: 'left', id, other: to.name });
  await removeMark(to.database);
  return sums;
}

/** Its name on both sides; null when all that is left to do is to open the other side. */
async function begin({ from, to, now }: MoveOptions): Promise<string | null> {
  const [leaving, arriving] = [await readMark(from.database), await readMark(to.database)];
  if (leaving?.state === 'left') {
    if (arriving?.id !== leaving.id)
      throw new OperatorError(`This database was moved to ${leaving.other} already. Nothing was done.`);
    await removeMark(to.database);
    return null;
  }
  if (leaving !== null && arriving?.id === leaving.id) return leaving.id;
  if (arriving !== null) throw notEmpty(to, ': it holds a part of another move');
  if (await hasRows(to.database)) throw notEmpty(to);
  const id = createRecordId(now);
  await writeMark(from.database, { state: 'leaving', id, other: to.name });
  if (await claimByMark(to.database, { state: 'arriving', id, other: from.name })) return id;
  // Somebody else has begun a move to there in this moment, so this one has not begun.
  await removeMark(from.database);
  throw notEmpty(to, ': it holds a part of another move');
}

function notEmpty({ name }: Side, because = ''): OperatorError {
  return new OperatorError(`The database ${name} is not empty${because}. Move to an empty one.`);
}

async function hasRows(database: Database): Promise<boolean> {
  for (const table of copiedTables) if ((await lastKeyOf(database, table)) !== null) return true;
  return false;
}

async function copyTable(
  from: Database,
  to: Database,
  table: CopiedTable,
  rowsAtOnce: number,
): Promise<void> {
  let after = await lastKeyOf(to, table);
  for (;;) {
    const rows = await pageOf(from, table, after, rowsAtOnce);
    const last = rows.at(-1);
    if (last === undefined) return;
    await insert(to, table, rows);
    after = keyOf(table, last);
  }
}

/** One statement, so that all of a batch is there or nothing. The audit keeps its numbers, which PostgreSQL gives by itself. */
async function insert(to: Database, { name }: CopiedTable, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
  await sql`insert into ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column)))})
    overriding system value values ${sql.join(values)}`.execute(to);
}

async function continueCounter(to: Database): Promise<void> {
  await sql`select setval(pg_get_serial_sequence('audit', 'seq'), max(seq)) from audit having max(seq) is not null`.execute(
    to,
  );
}

function refuseDifferent(sums: readonly TableSum[], others: readonly TableSum[]): void {
  const differing = sums.filter(({ rows, digest }, index) => {
    return rows !== others[index]?.rows || digest !== others[index]?.digest;
  });
  if (differing.length === 0) return;
  const names = differing.map(({ table }) => table).join(', ');
  throw new OperatorError(
    `The two databases are not equal in: ${names}. Somebody has changed one of them since the move began. Empty the new one, say "npx vestibule move --abandon" and begin again.`,
  );
}
