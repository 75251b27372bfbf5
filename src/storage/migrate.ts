import { sql } from 'kysely';
import { OperatorError } from '../base/errors.ts';
import type { Begin } from '../base/progress.ts';
import type { Engine, NewIndex } from './engine.ts';
import { type ColumnTypes, columnTypes, type Migration, migrations, newestOf } from './migrations.ts';
import type { Database } from './schema.ts';
import { isTooNew, missingSteps, type SchemaState, schemaOf } from './schema-state.ts';

type Migrated = Pick<Engine, 'name' | 'database' | 'tables'>;

/** Runs the missing steps, each in its own transaction under one lock; in an empty database all in one. Returns them. */
export async function migrate(
  engine: Migrated,
  now: number,
  kind: Migration['kind'] = 'expand',
  steps: readonly Migration[] = migrations,
  begin: Begin = () => {},
): Promise<readonly Migration[]> {
  const done: Migration[] = [];
  /** Runs the step unless another process has run it; in an empty database all steps. */
  const doStep = async (transaction: Database, next: Migration): Promise<readonly Migration[]> => {
    const types = columnTypes(engine.name);
    const found = await schemaOf(engine, transaction);
    refuseNewer(found, steps);
    if (found.version === 0) await createVersions(transaction, types);
    const missing = toDo(found, steps, kind).filter((step) => found.version === 0 || step === next);
    let { oldest } = found;
    for (const step of missing) {
      await step.up(transaction, types);
      if (step.index !== undefined && found.version === 0) await createIndex(transaction, step.index);
      oldest = Math.max(oldest, step.needs ?? 0);
      const row = { version: step.version, applied_at: now, oldest };
      await transaction.insertInto('schema_migrations').values(row).execute();
    }
    return missing;
  };
  for (;;) {
    const state = await schemaOf(engine, engine.database);
    refuseNewer(state, steps);
    const [next] = toDo(state, steps, kind);
    // Without a missing step no lock is needed.
    if (next === undefined) return done;
    begin(`Migrating the schema to version ${next.version} (${next.what})`, engine.tables.indexExtent);
    if (next.index !== undefined && state.version > 0) await engine.tables.buildIndex(next.index);
    done.push(...(await engine.tables.alter('migrate', (transaction) => doStep(transaction, next))));
  }
}

async function createIndex(database: Database, { name, table, on }: NewIndex): Promise<void> {
  await sql`create index ${sql.id(name)} on ${sql.table(table)} ${sql.raw(on)}`.execute(database);
}

/** The missing steps of this kind: `expand` at every start, `contract` only by the command. */
function toDo(
  state: SchemaState,
  steps: readonly Migration[],
  kind: Migration['kind'],
): readonly Migration[] {
  // An empty database has no older processes.
  if (state.version === 0) return steps;
  if (kind === 'contract' && missingSteps(state, steps).length > 0)
    throw new OperatorError(
      'The schema has to be expanded first: run "npx vestibule migrate", and contract when no process of an older release runs any more.',
    );
  return missingSteps(state, steps, kind);
}

async function createVersions({ schema }: Database, types: ColumnTypes): Promise<void> {
  await schema
    .createTable('schema_migrations')
    .ifNotExists()
    .addColumn('version', types.integer, (column) => column.primaryKey().notNull())
    .addColumn('applied_at', types.integer, (column) => column.notNull())
    .addColumn('oldest', types.integer, (column) => column.notNull())
    .modifyEnd(types.tableEnd)
    .execute();
}

export function unusable(reason: string, cause?: unknown): OperatorError {
  return new OperatorError(`The database set in DATABASE_URL cannot be used: ${reason}`, { cause });
}

function refuseNewer(state: SchemaState, steps: readonly Migration[]): void {
  if (!isTooNew(state, steps)) return;
  throw new OperatorError(
    `The database has schema version ${state.version}, and this release knows versions up to ${newestOf(steps)}: start a release at least as new as the one that migrated it.`,
  );
}
