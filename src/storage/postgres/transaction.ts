import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import type { Row } from '../engine.ts';
import { whileReading } from './pool.ts';
import type { Sessions } from './sessions.ts';
import { isUnknownStatement } from './unavailable.ts';

/** A pipelined transaction: each statement is sent before the last one is answered. The first statement should be a read. */
export async function transactionOn<T>(
  sessions: Sessions,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const client = await sessions.take();
  const transaction = new Transaction(client, sessions);
  let isBroken = false;
  try {
    void transaction.begin();
    const result = await work(transaction);
    await transaction.commit();
    return result;
  } catch (error) {
    await ask(client, { text: 'rollback' }, []).catch(() => {
      isBroken = true;
    });
    throw error;
  } finally {
    sessions.giveBack(client, transaction.failure?.error, isBroken);
  }
}

export class Transaction {
  readonly #client: PoolClient;
  readonly #sessions: Sessions;
  #last: Promise<unknown> = Promise.resolve();
  #failure: { readonly error: unknown } | null = null;

  constructor(client: PoolClient, sessions: Sessions) {
    this.#client = client;
    this.#sessions = sessions;
  }

  get failure(): { readonly error: unknown } | null {
    return this.#failure;
  }

  begin(): Promise<unknown> {
    return this.#send({ text: this.#sessions.begin }, []);
  }

  run(sql: string, parameters: readonly unknown[]): Promise<QueryResult> {
    return this.#send(this.#sessions.named(sql), parameters);
  }

  /** Resolves when everything is done and durable. */
  async commit(): Promise<void> {
    const before = this.#last;
    const { command } = await this.#send({ text: 'commit' }, []);
    await before;
    if (this.#failure !== null) throw this.#failure.error;
    if (command !== 'COMMIT') throw new Error(`PostgreSQL answered a commit with ${command}`);
  }

  #send(statement: QueryConfig, parameters: readonly unknown[]): Promise<QueryResult> {
    const result = this.#ask(statement, parameters);
    this.#last = result;
    // The commit reports the error.
    result.catch(() => {});
    return result;
  }

  async #ask(statement: QueryConfig, parameters: readonly unknown[]): Promise<QueryResult> {
    if (this.#failure !== null) throw this.#failure.error;
    try {
      return await ask(this.#client, statement, parameters);
    } catch (error) {
      this.#failure ??= { error };
      throw this.#failure.error;
    }
  }
}

/** One statement outside of a transaction, repeated without a name if the session does not know it. */
export async function readOn(
  sessions: Sessions,
  sql: string,
  parameters: readonly unknown[],
): Promise<readonly Row[]> {
  try {
    return await readOnce(sessions, sql, parameters);
  } catch (error) {
    if (!isUnknownStatement(error)) throw error;
    return readOnce(sessions, sql, parameters);
  }
}

async function readOnce(
  sessions: Sessions,
  sql: string,
  parameters: readonly unknown[],
): Promise<readonly Row[]> {
  const client = await sessions.take();
  let failure: unknown;
  try {
    const { rows } = await whileReading(client, () => ask(client, sessions.named(sql), parameters, 'array'));
    return rows as unknown as readonly Row[];
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    sessions.giveBack(client, failure);
  }
}

/** A callback, because the driver's promises survive until a full garbage collection. */
function ask(
  client: PoolClient,
  statement: QueryConfig,
  parameters: readonly unknown[],
  rowMode?: 'array',
): Promise<QueryResult> {
  const { promise, resolve, reject } = Promise.withResolvers<QueryResult>();
  const query = { ...statement, values: [...parameters], ...(rowMode && { rowMode }) };
  client.query(query, (error, result) => {
    // Null without an error, whatever its type says.
    if (error as Error | null) reject(error);
    else resolve(result);
  });
  return promise;
}

/** The session is held until the transaction ends. */
export const takeLock = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';

export function lockName(name: string): string {
  return `vestibule:${name}`;
}
