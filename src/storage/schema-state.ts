import { sql } from 'kysely';
import type { Engine } from './engine.ts';
import { type Migration, newestOf } from './migrations.ts';
import type { Database } from './schema.ts';

/** Which steps a database has gone through, and who may still work with it. */
export interface SchemaState {
  readonly versions: ReadonlySet<number>;
  /** The newest of them; 0 in an empty database. */
  readonly version: number;
  /** Code that knows this version may serve, and no other. */
  readonly oldest: number;
}

const nowhere: SchemaState = { versions: new Set(), version: 0, oldest: 0 };

/** The state of a possibly empty database. A session of a pooler may have cached `to_regclass`, so the catalogue is read. */
export async function schemaOf({ name }: Pick<Engine, 'name'>, database: Database): Promise<SchemaState> {
  const found =
    name === 'postgres'
      ? sql<{
          found: boolean;
        }>`select count(*) > 0 as found from pg_class where relname = 'schema_migrations' and pg_table_is_visible(oid)`
      : sql<{ found: number }>`select count(*) as found from sqlite_schema where name = 'schema_migrations'`;
  const { rows } = await found.execute(database);
  return rows[0]?.found ? readSchema(database) : nowhere;
}

export async function readSchema(database: Database): Promise<SchemaState> {
  const rows = await database.selectFrom('schema_migrations').selectAll().execute();
  if (rows.length === 0) return nowhere;
  const versions = rows.map(({ version }) => Number(version));
  return {
    versions: new Set(versions),
    version: Math.max(...versions),
    oldest: Math.max(...rows.map(({ oldest }) => Number(oldest))),
  };
}

/** True for a database that a checkout before the first release has made: it lacks the step that makes the tables. */
export function isUnreleased({ version, versions }: SchemaState, [baseline]: readonly Migration[]): boolean {
  return version > 0 && baseline !== undefined && !versions.has(baseline.version);
}

export const unreleased = {
  found: 'it was made by an unreleased version of Vestibule, and its schema cannot be migrated',
  advice: 'Set DATABASE_URL to a new database.',
};

/** A newer release has taken something away that this code needs. */
export function isTooNew({ oldest }: SchemaState, steps: readonly Migration[]): boolean {
  return oldest > newestOf(steps);
}

/** What this code cannot do without. */
export function missingSteps({ versions }: SchemaState, steps: readonly Migration[]): readonly Migration[] {
  return steps.filter(({ version, kind }) => kind !== 'contract' && !versions.has(version));
}

/** What can be taken away once no older code runs any more. */
export function waitingContracts(
  { versions }: SchemaState,
  steps: readonly Migration[],
): readonly Migration[] {
  return steps.filter(({ version, kind }) => kind === 'contract' && !versions.has(version));
}
