import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { Refusal } from '../../base/errors.ts';
import { createProcessName } from '../../base/random.ts';
import type { SessionStatus } from '../port.ts';
import { isUnknownStatement, onlyReads, wasCancelled } from './unavailable.ts';

interface SessionsOptions {
  /** How every transaction begins. */
  readonly begin: string;
  readonly keepsStatements?: boolean;
  /** Statements are not kept from now on, because sessions do not know those that they were given. */
  readonly onStatementsLost?: () => void;
}

/** While a server only reads, reads go on: their sessions are made anew no more often than this. */
const suspectEveryMs = 1_000;

/** Statements that each session keeps. */
const mostNames = 200;

/**
 * The sessions of a pool. After a failover one may be with a server that only reads, and it stays there for as long as it
 * is used. So a session that has refused to write is ended instead of kept, and so are those that are as old, when they
 * are asked for next.
 */
export class Sessions {
  readonly #pool: Pool;
  /** Those that are connected, by the moment they were. */
  readonly #madeAt = new Map<PoolClient, number>();
  #suspectBefore = Number.NEGATIVE_INFINITY;
  readonly begin: string;
  readonly #onStatementsLost: () => void;
  #mostNames: number;
  readonly #names = new Map<string, string>();
  /** Behind a pooler another process's statement of the same name would be run instead of ours. */
  readonly #prefix = `vestibule_${createProcessName()}`;
  #waits = 0;
  #waitedMs = 0;

  constructor(pool: Pool, { begin, keepsStatements = false, onStatementsLost = () => {} }: SessionsOptions) {
    this.#pool = pool;
    this.begin = begin;
    this.#onStatementsLost = onStatementsLost;
    this.#mostNames = keepsStatements ? mostNames : 0;
    pool.on('connect', (client) => this.#madeAt.set(client, performance.now()));
    pool.on('remove', (client) => this.#madeAt.delete(client));
  }

  /**
   * A statement with the name under which a session keeps it, so that it is parsed and planned once. Past so many there is
   * none: callers choose what they filter by, and the server keeps each of them for as long as the session lasts.
   */
  named(text: string): { readonly text: string; readonly name?: string } {
    const known = this.#names.get(text);
    if (known !== undefined) return { text, name: known };
    if (this.#names.size >= this.#mostNames) return { text };
    const name = `${this.#prefix}_${this.#names.size}`;
    this.#names.set(text, name);
    return { text, name };
  }

  status(): SessionStatus {
    const { options, totalCount, idleCount, waitingCount } = this.#pool;
    return {
      most: options.max,
      inUse: totalCount - idleCount,
      idle: idleCount,
      waiting: waitingCount,
      waits: this.#waits,
      waitedSeconds: this.#waitedMs / 1000,
    };
  }

  async take(): Promise<PoolClient> {
    for (;;) {
      const client = await this.#connect();
      if ((this.#madeAt.get(client) ?? 0) >= this.#suspectBefore) return client;
      client.release(true);
    }
  }

  /** Gives a session back, with the error that its last user met, if any. */
  giveBack(client: PoolClient, error: unknown, isBroken = false): void {
    const refusesToWrite = onlyReads(error);
    const now = performance.now();
    if (refusesToWrite && now - this.#suspectBefore >= suspectEveryMs) this.#suspectBefore = now;
    if (isUnknownStatement(error)) this.#keepNoStatements();
    // One that was silent for too long has less time from then on.
    client.release(isBroken || refusesToWrite || wasCancelled(error));
  }

  /** Kysely takes and gives back by itself, and would keep a session that only reads. */
  forKysely(): PostgresPool {
    const connect = async () => {
      const client = await this.take();
      let failure: unknown;
      const query = async (sql: string, parameters: unknown[]) => {
        try {
          const result = await client.query(sql === 'begin' ? this.begin : sql, parameters);
          // Several statements have several results.
          return Array.isArray(result) ? result.at(-1) : result;
        } catch (error) {
          failure ??= error;
          throw error;
        }
      };
      const release = (destroy?: boolean) => this.giveBack(client, failure, destroy);
      return { query, release } as unknown as PostgresPoolClient;
    };
    return { connect, end: () => this.#pool.end(), options: this.#pool.options };
  }

  /**
   * Behind a pooler that does not keep track of them, a session is another one each time: it does not know a statement,
   * or has one of that name from before. Whoever has met it tries again, without a name.
   */
  #keepNoStatements(): void {
    if (this.#mostNames === 0) return;
    this.#mostNames = 0;
    this.#names.clear();
    this.#onStatementsLost();
  }

  /** By a callback: what the driver's own promises leave behind survives until the whole heap is looked through. */
  #connect(): Promise<PoolClient> {
    const pool = this.#pool;
    const { promise, resolve, reject } = Promise.withResolvers<PoolClient>();
    // None is free and none more may be made.
    const hasToWait = pool.idleCount === 0 && pool.totalCount >= pool.options.max;
    const askedAt = hasToWait ? performance.now() : 0;
    if (hasToWait) this.#waits += 1;
    pool.connect((error, client) => {
      if (hasToWait) this.#waitedMs += performance.now() - askedAt;
      if (client !== undefined) return resolve(client);
      // With all of them connected it was none of the server's: this request has waited too long for one.
      const isOurs = this.#madeAt.size >= pool.options.max;
      reject(isOurs ? allInUse(pool.options.max) : error);
    });
    return promise;
  }
}

function allInUse(most: number): Refusal {
  const detail = `all ${most} sessions of this process with PostgreSQL were in use for too long`;
  return new Refusal('overloaded', { detail, retryAfterSeconds: 1 });
}
