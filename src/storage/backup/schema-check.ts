import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { migrate } from '../migrate.ts';
import { type Migration, migrations } from '../migrations.ts';
import type { Database } from '../schema.ts';
import { type SchemaState, schemaOf } from '../schema-state.ts';
import { kyselyOn } from '../sqlite/dialect.ts';
import { openSqlite } from '../sqlite/engine.ts';
import { isDeclaredIndex } from '../stores/record-indexes.ts';

export interface CheckedSchema {
  readonly state: SchemaState;
  /** Tables, indexes, triggers and views that are not as the migrations make them: added, changed or missing. */
  readonly differences: readonly string[];
}

/** Compares a file's schema with that of a new database: a trigger in a backup could copy records to another caller. */
export async function checkSchema(
  file: string,
  steps: readonly Migration[] = migrations,
): Promise<CheckedSchema> {
  const engine = await openSqlite(file, { readOnly: true });
  try {
    const state = await schemaOf(engine, engine.database);
    const found = await objectsIn(engine.database);
    return { state, differences: differencesOf(found, await objectsAfter(state, steps)) };
  } finally {
    await engine.close();
  }
}

/** The definitions of a database by kind and name. SQLite reads nothing but the text, whatever the kind says. */
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

/** What Litestream and the command ANALYZE add. Nothing of it is read by a statement of this service. */
const harmless = new Set([
  '_litestream_seq: CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)',
  '_litestream_lock: CREATE TABLE _litestream_lock (id INTEGER)',
  'sqlite_stat1: CREATE TABLE sqlite_stat1(tbl,idx,stat)',
  'sqlite_stat4: CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)',
]);

function differencesOf(found: Objects, expected: Objects): readonly string[] {
  const names = new Set([...found.keys(), ...expected.keys()]);
  return [...names].filter((name) => {
    const definition = found.get(name);
    if (definition === expected.get(name)) return false;
    const isOptional = !expected.has(name) && definition !== undefined;
    return !(isOptional && (harmless.has(definition) || isDeclaredIndex(definition)));
  });
}
