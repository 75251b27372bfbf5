import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import type { Row } from '../engine.ts';
import { whileReading } from './cancel.ts';
import type { Sessions } from './sessions.ts';
import { isUnknownStatement } from './unavailable.ts';

/**
 * One transaction on a connection of the pool, without Kysely. Statements are done in the order in which they come, and
 * each is on its way before it is known what became of those before it; the commit, too: after one that failed PostgreSQL
 * does no other and takes a commit for a rollback. Its first statements are best reads: should it not have begun, what
 * is written is written for good.
 */
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

  /** What the first statement that failed did so with. */
  get failure(): { readonly error: unknown } | null {
    return this.#failure;
  }

  begin(): Promise<unknown> {
    return this.#send({ text: this.#sessions.begin }, []);
  }

  run(sql: string, parameters: readonly unknown[]): Promise<QueryResult> {
    return this.#send(this.#sessions.named(sql), parameters);
  }

  /** Resolves when all of it is done, and durable. */
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
    // Nobody has to wait for it: the commit does.
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

/** One statement by itself, once more without a name where the session does not know it. */
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

/** By a callback: what the driver's own promises leave behind survives until the whole heap is looked through. */
function ask(
  client: PoolClient,
  statement: QueryConfig,
  parameters: readonly unknown[],
  rowMode?: 'array',
): Promise<QueryResult> {
  const { promise, resolve, reject } = Promise.withResolvers<QueryResult>();
  const query = { ...statement, values: [...parameters], ...(rowMode && { rowMode }) };
  client.query(query, (error, result) => {
    // Null where there is none, whatever its type says.
    if (error as Error | null) reject(error);
    else resolve(result);
  });
  return promise;
}

/** Serialises, until the transaction ends, all who take the lock of that name. */
export const takeLock = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';

export function lockName(name: string): string {
  return `vestibule:${name}`;
}
