import { setTimeout as pause } from 'node:timers/promises';
import { CompiledQuery, type Kysely, sql } from 'kysely';
import { DatabaseError } from 'pg';
import { OperatorError } from '../../base/errors.ts';
import type { Extent } from '../../base/progress.ts';
import type { NewIndex, Read, TableChanges } from '../engine.ts';
import type { Tables } from '../schema.ts';
import { lockName, takeLock } from './transaction.ts';

/** A transaction that waits for a table makes all others queue behind it, so it gives up quickly and retries. */
const waitForTable = '50ms';
const comeBackAfterMs = 200;
const giveUpAfterMs = 60_000;

const lockTimedOut = '55P03';
/** Two processes created the same index at once, or a deadlock. */
const collided = new Set(['23505', '42P07', '40P01']);

/** `connect` opens a connection without a timeout for each piece of work; `read` has one of its own. */
export function tableChanges(
  connect: <T>(work: (database: Kysely<Tables>) => Promise<T>) => Promise<T>,
  read: Read,
): TableChanges {
  return {
    async alter(lock, work) {
      const deadline = performance.now() + giveUpAfterMs;
      for (;;) {
        try {
          return await connect((database) =>
            database.transaction().execute(async (transaction) => {
              await transaction.executeQuery(CompiledQuery.raw(takeLock, [lockName(lock)]));
              await sql`set local lock_timeout = ${sql.lit(waitForTable)}`.execute(transaction);
              return work(transaction);
            }),
          );
        } catch (error) {
          if (!(error instanceof DatabaseError && error.code === lockTimedOut)) throw error;
          if (performance.now() > deadline) throw neverFree();
          await pause(comeBackAfterMs * (1 + Math.random()));
        }
      }
    },
    buildIndex: (index) => connect((database) => buildIndex(database, index)),
    indexExtent: () => indexExtent(read),
  };
}

/** Rows are counted in some phases and blocks in others. */
async function indexExtent(read: Read): Promise<Extent | null> {
  const [row] = await read(
    `select phase, case when tuples_total > 0 then tuples_done else blocks_done end,
      case when tuples_total > 0 then tuples_total else blocks_total end,
      case when tuples_total > 0 then 'row' else 'block' end
      from pg_stat_progress_create_index where datname = current_database()`,
    [],
  );
  if (row === undefined) return null;
  return { phase: String(row[0]), done: Number(row[1]), total: Number(row[2]), unit: String(row[3]) };
}

function neverFree(): OperatorError {
  return new OperatorError(
    `The schema was not changed: for ${giveUpAfterMs / 1000} s another transaction held a lock on a table that must be changed. Find it in pg_stat_activity, and run the command again when it has ended.`,
  );
}

/** A killed build leaves an invalid index, which is dropped and built again. */
async function buildIndex(database: Kysely<Tables>, { name, table, on }: NewIndex): Promise<void> {
  for (;;) {
    const state = await indexState(database, name);
    if (state === 'valid') return;
    if (state === 'being built') {
      await pause(comeBackAfterMs);
      continue;
    }
    try {
      if (state === 'left behind')
        await sql`drop index concurrently if exists ${sql.id(name)}`.execute(database);
      await sql`create index concurrently ${sql.id(name)} on ${sql.table(table)} ${sql.raw(on)}`.execute(
        database,
      );
    } catch (error) {
      if (!(error instanceof DatabaseError && collided.has(error.code ?? ''))) throw error;
    }
  }
}

async function indexState(database: Kysely<Tables>, name: string) {
  const { rows } = await sql<{ valid: boolean; building: boolean }>`
    select indisvalid as valid,
      exists (select from pg_stat_progress_create_index where index_relid = indexrelid) as building
    from pg_index where indexrelid = to_regclass(${sql.lit(name)})`.execute(database);
  const [found] = rows;
  if (found === undefined) return 'absent';
  if (found.valid) return 'valid';
  return found.building ? 'being built' : 'left behind';
}
