import { closeSync, existsSync, fdatasyncSync, openSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { OperatorError } from '../../base/errors.ts';

/** What a copy has: how many rows of each table. */
export type Counts = Readonly<Record<string, number>>;

/** So much is copied, 4 MB, before it is synced to the disk: all of it at the end would hold up whoever waits for the disk then. */
const pagesAtOnce = 1_024;

/**
 * Copies a database that may be in use, by SQLite's own online backup. It reads within one transaction: so the copy is of one
 * moment, it comes to an end however much is written meanwhile, and in WAL mode nobody who writes waits for a reader.
 */
export async function copySqlite(file: string, to: string): Promise<Counts> {
  if (!existsSync(file)) throw new OperatorError(`The SQLite file "${file}" (DATABASE_URL) is not there.`);
  // Not for reading only: what SQLite makes beside a file that nobody has open would stay there.
  using source = new DatabaseSync(file, { timeout: 2_000 });
  source.exec('pragma query_only = 1');
  source.exec('begin');
  const counts = countRows(source);
  const descriptor = openSync(to, 'r');
  try {
    await backup(source, to, { rate: pagesAtOnce, progress: () => fdatasyncSync(descriptor) });
  } finally {
    closeSync(descriptor);
  }
  const copied = inspectCopy(to, countRows);
  const differing = Object.keys(counts).find((table) => counts[table] !== copied[table]);
  if (differing !== undefined)
    throw new OperatorError(
      `The copy has ${copied[differing]} rows of "${differing}" instead of ${counts[differing]}. Nothing was kept of it; try another disk.`,
    );
  return counts;
}

/** Looks at a copy that nobody uses, having it checked by SQLite first. */
export function inspectCopy<T>(file: string, work: (database: DatabaseSync) => T): T {
  const address = pathToFileURL(file);
  // As it lies there: no file is made beside it.
  address.searchParams.set('immutable', '1');
  try {
    using database = new DatabaseSync(address, { readOnly: true });
    const faults = database.prepare('pragma integrity_check(1)').all();
    const fault = String(faults[0]?.integrity_check).replaceAll(/\s+/g, ' ');
    if (fault !== 'ok') throw new OperatorError(`The copy "${file}" is damaged: ${fault}.`);
    return work(database);
  } catch (error) {
    if ((error as { errcode?: unknown }).errcode === notDatabase)
      throw new OperatorError(`"${file}" is not an SQLite database.`);
    throw error;
  }
}

/** SQLite's result code for that. */
const notDatabase = 26;

export function countRows(database: DatabaseSync): Counts {
  const tables = database
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'")
    .all();
  return Object.fromEntries(
    tables.map(({ name }) => {
      const row = database.prepare(`select count(*) as count from "${name}"`).get();
      return [String(name), Number(row?.count)];
    }),
  );
}
