import { lstatSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { OperatorError } from '../../base/errors.ts';
import { migrate } from '../migrate.ts';
import { type Migration, migrations, newestOf } from '../migrations.ts';
import type { Database } from '../schema.ts';
import { type SchemaState, schemaOf } from '../schema-state.ts';
import { kyselyOn } from '../sqlite/dialect.ts';
import { openSqlite } from '../sqlite/engine.ts';
import { explained } from '../sqlite/unavailable.ts';
import { isDeclaredIndex } from '../stores/record-indexes.ts';

/** A restore migrates as a start does. */
export async function requireRestorable(file: string, steps: readonly Migration[]): Promise<void> {
  const { state, differences } = await explained(file, () => checkSchema(file, steps));
  if (state.version > newestOf(steps))
    throw new OperatorError(
      `"${file}" has schema version ${state.version}, and this release knows versions up to ${newestOf(steps)}: restore it with a release at least as new as the one that wrote it.`,
    );
  if (differences.length > 0)
    throw new OperatorError(
      `"${file}" does not have the tables, indexes, triggers and views of this service: ${differences.join(', ')}. The file was tampered with, or the database was changed by hand. Restore another backup, or remove what does not belong there.`,
    );
}

export function refuseNotEmpty(file: string): void {
  const found = ['', '-wal', '-shm']
    .map((end) => `${file}${end}`)
    .find((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
  if (found !== undefined)
    throw new OperatorError(
      `"${found}" exists: a backup is restored only where no database is (DATABASE_URL). Move the existing files away, or set DATABASE_URL to another file.`,
    );
}

/** A database file without its log misses the last writes. */
export function refuseLog(file: string): void {
  const log = `${file}-wal`;
  if (!statSync(log, { throwIfNoEntry: false })?.size) return;
  throw new OperatorError(
    `"${log}" holds writes that are not in "${file}" yet: these are files of a database, not a backup. Move both to the place in DATABASE_URL, and run "npx vestibule restore" without a file.`,
  );
}

/** Compares a file's schema with that of a new database: a trigger in a backup could copy records to another caller. */
export async function checkSchema(file: string, steps: readonly Migration[] = migrations) {
  const engine = await openSqlite(file, { readOnly: true });
  try {
    const state = await schemaOf(engine, engine.database);
    const found = await objectsIn(engine.database);
    return { state, differences: differencesOf(found, await objectsAfter(state, steps)) };
  } finally {
    await engine.close();
  }
}

/** The definitions of a database by kind and name. SQLite interprets only the text, not the kind. */
type Objects = ReadonlyMap<string, string>;

async function objectsIn(database: Database): Promise<Objects> {
  const { rows } = await sql<{
    name: string;
    definition: string;
  }>`select type || ' "' || name || '"' as name, tbl_name || ': ' || coalesce(sql, '') as definition
    from sqlite_schema order by type, name`.execute(database);
  return new Map(rows.map(({ name, definition }) => [name, definition.replaceAll(/\s+/g, ' ')]));
}

async function objectsAfter({ versions }: SchemaState, steps: readonly Migration[]): Promise<Objects> {
  const database = kyselyOn(new DatabaseSync(':memory:'));
  const engine = {
    name: 'sqlite' as const,
    database,
    tables: {
      alter: <T>(_lock: unknown, work: (transaction: Database) => Promise<T>) =>
        database.transaction().execute(work),
      buildIndex: () => Promise.reject(new Error('a new database has its indexes at once')),
    },
  };
  try {
    const done = steps.filter(({ version }) => versions.has(version));
    await migrate(engine, 0, 'expand', done);
    return await objectsIn(database);
  } finally {
    await database.destroy();
  }
}

/** Tables that Litestream and the command ANALYZE add. No statement of this service reads them. */
const harmless = new Set([
  '_litestream_seq: CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)',
  '_litestream_lock: CREATE TABLE _litestream_lock (id INTEGER)',
  'sqlite_stat1: CREATE TABLE sqlite_stat1(tbl,idx,stat)',
  'sqlite_stat4: CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)',
]);

/** Tables, indexes, triggers and views that differ from the migrations: added, changed or missing. */
function differencesOf(found: Objects, expected: Objects): readonly string[] {
  const names = new Set([...found.keys(), ...expected.keys()]);
  return [...names].filter((name) => {
    const definition = found.get(name);
    if (definition === expected.get(name)) return false;
    const isOptional = !expected.has(name) && definition !== undefined;
    return !(isOptional && (harmless.has(definition) || isDeclaredIndex(definition)));
  });
}
