import { sql } from 'kysely';
import { OperatorError } from '../base/errors.ts';
import { type ColumnTypes, columnTypes } from './column-types.ts';
import type { Engine, NewIndex } from './engine.ts';
import { type Migration, migrations, newestOf } from './migrations.ts';
import type { StorageKeys } from './port.ts';
import type { Database } from './schema.ts';
import { isTooNew, missingSteps, type SchemaState, schemaOf, waitingContracts } from './schema-state.ts';

/**
 * `beside`: what can be done while older processes run, as every start does it. `alone`: also what cannot, because the
 * operator says that none runs. `contract`: what takes something away.
 */
export type Manner = 'beside' | 'alone' | 'contract';

/** Releases up to this version knew of no others, and did every step at start. So it goes on for their steps. */
const lastOfBefore = 10;

type Migrated = Pick<Engine, 'name' | 'database' | 'tables'>;

interface MigrationParts {
  readonly engine: Migrated;
  readonly now: number;
  readonly keys: StorageKeys;
  readonly manner: Manner;
  readonly steps: readonly Migration[];
}

/**
 * Brings the schema to the newest version, each step in a transaction of its own and all under one lock: a process that
 * dies half-way leaves the schema as some step left it, and of two that start at once one migrates and one waits. On an
 * empty database all of them are one transaction. Gives the steps that were done here.
 */
export async function migrate(
  engine: Migrated,
  now: number,
  keys: StorageKeys,
  manner: Manner = 'beside',
  steps: readonly Migration[] = migrations,
): Promise<readonly Migration[]> {
  const parts = { engine, now, keys, manner, steps };
  const done: Migration[] = [];
  for (;;) {
    const state = await schemaOf(engine, engine.database);
    refuseNewer(state, steps);
    const [next] = toDo(state, steps, manner);
    // Nobody waits for a lock where there is nothing to do.
    if (next === undefined) return done;
    if (next.index !== undefined && state.version > 0) await engine.tables.buildIndex(next.index);
    done.push(...(await engine.tables.alter('migrate', (transaction) => goOn(transaction, parts, next))));
  }
}

/** Does the step, unless somebody else has done it; all of them where nothing is yet. */
async function goOn(
  transaction: Database,
  { engine, now, keys, manner, steps }: MigrationParts,
  next: Migration,
): Promise<readonly Migration[]> {
  const types = columnTypes(engine.name);
  const found = await schemaOf(engine, transaction);
  refuseNewer(found, steps);
  await keepVersions(transaction, types, found);
  const missing = toDo(found, steps, manner).filter((step) => found.version === 0 || step === next);
  let { oldest } = found;
  for (const step of missing) {
    await step.up(transaction, types, keys);
    if (step.index !== undefined && found.version === 0) await createIndex(transaction, step.index);
    oldest = Math.max(oldest, oldestAfter(step));
    const { version } = step;
    await transaction.insertInto('schema_migrations').values({ version, applied_at: now, oldest }).execute();
  }
  return missing;
}

/** For an empty database, which has nothing to bind to a master secret. */
export const noKeys: StorageKeys = {
  clientMac: { of: () => new Uint8Array(), isGenuine: () => false },
  checkMasterSecret: async () => {},
  erasures: { digestOf: () => new Uint8Array(), append: async () => {} },
};

async function createIndex(database: Database, { name, table, on }: NewIndex): Promise<void> {
  await sql`create index ${sql.id(name)} on ${sql.table(table)} ${sql.raw(on)}`.execute(database);
}

/** Which steps are to be done; fails when they cannot be done in this manner. */
function toDo(state: SchemaState, steps: readonly Migration[], manner: Manner): readonly Migration[] {
  // Where nothing is yet, nobody can be in the way of any step.
  if (state.version === 0) return steps;
  const missing = missingSteps(state, steps);
  if (manner === 'contract') {
    if (missing.length > 0)
      throw new OperatorError(
        'The schema has to be expanded first: run "npx vestibule migrate", and contract when no process of an older release runs any more.',
      );
    return waitingContracts(state, steps);
  }
  const stop = missing.find(({ kind, version }) => kind === 'stop' && version > lastOfBefore);
  if (manner === 'beside' && stop !== undefined)
    throw new OperatorError(
      `No older release can work with schema version ${stop.version} (${stop.what}), so nothing was changed. Stop every process, run "npx vestibule migrate --stopped", and start this release.`,
    );
  return missing;
}

/** Code of which version may still serve after a step, whatever was before. */
function oldestAfter({ kind, version, needs = version }: Migration): number {
  if (kind === 'expand') return 0;
  return kind === 'contract' ? needs : version;
}

/** The table that keeps the versions; in one of a release of before the column is missing that says who may still run. */
async function keepVersions(
  { schema }: Database,
  types: ColumnTypes,
  { version, hasOldest }: SchemaState,
): Promise<void> {
  if (!hasOldest) await schema.alterTable('schema_migrations').addColumn('oldest', types.integer).execute();
  if (version > 0) return;
  await schema
    .createTable('schema_migrations')
    .ifNotExists()
    .addColumn('version', types.integer, (column) => column.primaryKey().notNull())
    .addColumn('applied_at', types.integer, (column) => column.notNull())
    .addColumn('oldest', types.integer)
    .modifyEnd(types.tableEnd)
    .execute();
}

function refuseNewer(state: SchemaState, steps: readonly Migration[]): void {
  if (!isTooNew(state, steps)) return;
  throw new OperatorError(
    `The database has schema version ${state.version}, and this release knows versions up to ${newestOf(steps)}. Start a release at least as new as the one that migrated it.`,
  );
}
