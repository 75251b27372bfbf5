import { sql } from 'kysely';
import { OperatorError } from '../base/errors.ts';
import type { Engine } from './engine.ts';
import { firstReleased, type Migration, newestOf } from './migrations.ts';
import type { Database } from './schema.ts';

/** The steps that a database has gone through, and the versions that can work with it. */
export interface SchemaState {
  readonly versions: ReadonlySet<number>;
  /** The newest step; 0 in an empty database. */
  readonly version: number;
  /** Code that knows this version can serve; older code cannot. */
  readonly oldest: number;
}

/** The schema of a version before the first release: its number does not tell what is in it. */
export class UnreleasedSchema extends OperatorError {
  constructor(version: number) {
    super(
      `The database has schema version ${version}, which only versions before the first release (0.3.0) wrote, and no release can open it: keep the version that made it, or begin with a new database.`,
    );
  }
}

const emptySchema: SchemaState = { versions: new Set(), version: 0, oldest: 0 };

/** The state of a possibly empty database. A session of a pooler may have cached `to_regclass`, so the catalogue is read. */
export async function schemaOf({ name }: Pick<Engine, 'name'>, database: Database): Promise<SchemaState> {
  const found =
    name === 'postgres'
      ? sql<{
          found: boolean;
        }>`select count(*) > 0 as found from pg_class where relname = 'schema_migrations' and pg_table_is_visible(oid)`
      : sql<{ found: number }>`select count(*) as found from sqlite_schema where name = 'schema_migrations'`;
  const { rows } = await found.execute(database);
  return rows[0]?.found ? readSchema(database) : emptySchema;
}

export async function readSchema(database: Database): Promise<SchemaState> {
  const rows = await database.selectFrom('schema_migrations').selectAll().execute();
  if (rows.length === 0) return emptySchema;
  const versions = rows.map(({ version }) => Number(version));
  const version = Math.max(...versions);
  if (Math.min(...versions) < firstReleased) throw new UnreleasedSchema(version);
  return {
    versions: new Set(versions),
    version,
    oldest: Math.max(...rows.map(({ oldest }) => Number(oldest))),
  };
}

/** A newer release has removed something that this code needs. */
export function isTooNew({ oldest }: SchemaState, steps: readonly Migration[]): boolean {
  return oldest > newestOf(steps);
}

/** The steps of a kind that the database lacks. This code needs those of the kind `expand`. */
export function missingSteps(
  { versions }: SchemaState,
  steps: readonly Migration[],
  wanted: Migration['kind'] = 'expand',
): readonly Migration[] {
  return steps.filter(({ version, kind }) => kind === wanted && !versions.has(version));
}

/** The way of a database to the newest version of a release. */
export type PlanVerdict = 'nothing to do' | 'rolling' | 'rolling, then contract' | 'contract';

export interface MigrationPlan {
  readonly verdict: PlanVerdict;
  readonly version: number;
  readonly newest: number;
  readonly oldest: number;
  readonly steps: readonly Pick<Migration, 'version' | 'kind' | 'what'>[];
}

export function planOf(state: SchemaState, steps: readonly Migration[]): MigrationPlan {
  const { version, oldest } = state;
  const missing = missingSteps(state, steps);
  const contracts = missingSteps(state, steps, 'contract');
  const needed = [...missing, ...contracts].map(({ version, kind, what }) => ({ version, kind, what }));
  return { verdict: verdictOn(), version, newest: newestOf(steps), oldest, steps: needed };

  function verdictOn(): PlanVerdict {
    if (missing.length === 0) return contracts.length === 0 ? 'nothing to do' : 'contract';
    // In an empty database all steps run at once.
    return contracts.length === 0 || version === 0 ? 'rolling' : 'rolling, then contract';
  }
}
