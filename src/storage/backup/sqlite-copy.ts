import { closeSync, createReadStream, createWriteStream, existsSync, fdatasyncSync, openSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { counted } from '../../base/counted.ts';
import { OperatorError } from '../../base/errors.ts';
import type { Begin } from '../../base/progress.ts';
import type { BackupNote } from '../port.ts';
import { backupNoteName } from '../stores/documents.ts';

type Counts = Readonly<Record<string, number>>;

/** Syncs to disk after each 4 MB: syncing everything at the end would block other writers of the disk. */
const pagesAtOnce = 1_024;

/** Copies a database that may be in use. Reads in one transaction, so the copy is consistent and blocks no writer. */
export async function copySqlite(file: string, to: string, begin: Begin): Promise<Counts> {
  if (!existsSync(file)) throw new OperatorError(`The SQLite file "${file}" (DATABASE_URL) does not exist.`);
  // Not opened read-only: SQLite would leave the files that it creates beside a closed database.
  using source = new DatabaseSync(file, { timeout: 2_000 });
  source.exec('pragma query_only = 1');
  source.exec('begin');
  begin('Counting the rows');
  const counts = countRows(source);
  const extent = { done: 0, total: 0, unit: 'page' };
  begin('Copying the database', () => extent);
  const descriptor = openSync(to, 'r');
  try {
    await backup(source, to, {
      rate: pagesAtOnce,
      progress({ totalPages, remainingPages }) {
        Object.assign(extent, { total: totalPages, done: totalPages - remainingPages });
        fdatasyncSync(descriptor);
      },
    });
  } finally {
    closeSync(descriptor);
  }
  begin('Checking the copy');
  const copied = inspectCopy(to, countRows);
  const differing = Object.keys(counts).find((table) => counts[table] !== copied[table]);
  if (differing !== undefined)
    throw new OperatorError(
      `The copy has ${counted(copied[differing] ?? 0, 'row')} of "${differing}" instead of ${counts[differing]}. The copy was deleted; try another disk.`,
    );
  return counts;
}

/** Notes the backup in the database. */
export function noteBackup(file: string, note: BackupNote): void {
  try {
    using database = new DatabaseSync(file, { timeout: 2_000 });
    database
      .prepare('insert or replace into documents (name, content, mac) values (?, ?, ?)')
      .run(backupNoteName, JSON.stringify(note), new Uint8Array());
  } catch {
    // The copy is valid without the note.
  }
}

/** Reads a file that is not in use, after an integrity check. */
function inspectCopy<T>(file: string, work: (database: DatabaseSync) => T): T {
  const address = pathToFileURL(file);
  // Creates no other file beside it.
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

const notDatabase = 26;

function countRows(database: DatabaseSync): Counts {
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

export function readBackup(file: string) {
  return inspectCopy(file, (database) => {
    const counts = countRows(database);
    const has = (table: string) => table in counts;
    const one = (sql: string) => Object.values(database.prepare(sql).get() ?? {})[0];
    const mark = has('documents') ? one("select mac from documents where name = 'master-secret'") : undefined;
    const erasures = has('erasures') ? database.prepare('select id from erasures').all() : [];
    return {
      /** 0 if no release of Vestibule has created it. */
      version: has('schema_migrations') ? Number(one('select max(version) from schema_migrations')) : 0,
      masterSecretMark: mark === undefined ? null : { mac: new Uint8Array(mark as Uint8Array) },
      counts,
      lastPosition: has('events') ? Number(one('select max(position) from events') ?? 0) : 0,
      erasureIds: new Set(erasures.map(({ id }) => String(id))),
    };
  });
}

/** Writes into an existing file, which keeps its permissions. */
export async function copyFile(from: string, to: string): Promise<void> {
  await pipeline(createReadStream(from), createWriteStream(to, { flags: 'r+' }));
}
