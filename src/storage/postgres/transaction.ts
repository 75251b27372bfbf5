import type { Pool, PoolClient } from 'pg';
import {
  type Connection,
  inTransaction,
  type StatementResult,
  type TransactionConnection,
} from '../transaction.ts';
import { unavailable } from './unavailable.ts';

/** Straight on a connection of the pool, without Kysely. */
export async function transactionOn<T>(
  pool: Pool,
  work: (transaction: Connection) => Promise<T>,
): Promise<T> {
  const client = await clientOf(pool);
  let isBroken = false;
  const run = (sql: string, parameters: readonly unknown[]) => ask(client, sql, parameters);
  const connection: TransactionConnection = {
    begin: 'begin',
    run,
    explain: (error) => unavailable(error) ?? error,
    async undo() {
      await run('rollback', []).catch(() => {
        isBroken = true;
      });
    },
  };
  try {
    return await inTransaction(connection, work);
  } finally {
    client.release(isBroken);
  }
}

// By callbacks: what the driver's own promises leave behind survives until the whole heap is looked through.

function clientOf(pool: Pool): Promise<PoolClient> {
  const { promise, resolve, reject } = Promise.withResolvers<PoolClient>();
  pool.connect((error, client) => (client === undefined ? reject(error) : resolve(client)));
  return promise;
}

function ask(client: PoolClient, sql: string, parameters: readonly unknown[]): Promise<StatementResult> {
  const { promise, resolve, reject } = Promise.withResolvers<StatementResult>();
  client.query(sql, [...parameters], (error, result) => {
    // Null where there is none, whatever its type says.
    if (error as Error | null) reject(error);
    else resolve(result);
  });
  return promise;
}
