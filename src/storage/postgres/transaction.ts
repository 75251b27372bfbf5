import type { PoolClient } from 'pg';
import {
  type Connection,
  inTransaction,
  type StatementResult,
  type TransactionConnection,
} from '../transaction.ts';
import type { Sessions } from './sessions.ts';
import { unavailable } from './unavailable.ts';

/** Straight on a connection of the pool, without Kysely. */
export async function transactionOn<T>(
  sessions: Sessions,
  work: (transaction: Connection) => Promise<T>,
): Promise<T> {
  const client = await sessions.take();
  let isBroken = false;
  let failure: unknown;
  const run = (sql: string, parameters: readonly unknown[]) => ask(client, sql, parameters);
  const connection: TransactionConnection = {
    begin: 'begin',
    run,
    explain(error) {
      failure ??= error;
      return unavailable(error) ?? error;
    },
    async undo() {
      await run('rollback', []).catch(() => {
        isBroken = true;
      });
    },
  };
  try {
    return await inTransaction(connection, work);
  } finally {
    sessions.giveBack(client, failure, isBroken);
  }
}

/** One statement by itself. */
export async function queryOn(
  sessions: Sessions,
  sql: string,
  parameters: readonly unknown[],
): Promise<StatementResult> {
  const client = await sessions.take();
  let failure: unknown;
  try {
    return await ask(client, sql, parameters);
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    sessions.giveBack(client, failure);
  }
}

/** By a callback: what the driver's own promises leave behind survives until the whole heap is looked through. */
function ask(client: PoolClient, sql: string, parameters: readonly unknown[]): Promise<StatementResult> {
  const { promise, resolve, reject } = Promise.withResolvers<StatementResult>();
  client.query(sql, [...parameters], (error, result) => {
    // Null where there is none, whatever its type says.
    if (error as Error | null) reject(error);
    else resolve(result);
  });
  return promise;
}
