import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { Refusal } from '../../base/errors.ts';
import { createProcessName } from '../../base/random.ts';
import type { SessionStatus } from '../port.ts';
import { isUnknownStatement, onlyReads, wasCancelled } from './unavailable.ts';

interface SessionsOptions {
  readonly begin: string;
  readonly keepsStatements?: boolean;
  readonly onStatementsLost?: () => void;
}

/** Minimum time between replacements of sessions while a server is read-only. */
const suspectEveryMs = 1_000;

const maxNames = 200;

/** The sessions of a pool. After a failover a session may be read-only: it and all older ones are closed. */
export class Sessions {
  readonly #pool: Pool;
  readonly #madeAt = new Map<PoolClient, number>();
  #suspectBefore = Number.NEGATIVE_INFINITY;
  readonly begin: string;
  readonly #onStatementsLost: () => void;
  #maxNames: number;
  readonly #names = new Map<string, string>();
  /** Unique to this process: behind a pooler processes share sessions. */
  readonly #prefix = `vestibule_${createProcessName()}`;
  #waits = 0;
  #waitedMs = 0;

  constructor(pool: Pool, { begin, keepsStatements = false, onStatementsLost = () => {} }: SessionsOptions) {
    this.#pool = pool;
    this.begin = begin;
    this.#onStatementsLost = onStatementsLost;
    this.#maxNames = keepsStatements ? maxNames : 0;
    pool.on('connect', (client) => this.#madeAt.set(client, performance.now()));
    pool.on('remove', (client) => this.#madeAt.delete(client));
  }

  /** A statement with a name is parsed and planned once per session. Callers choose filters, so the number is limited. */
  named(text: string): { readonly text: string; readonly name?: string } {
    const known = this.#names.get(text);
    if (known !== undefined) return { text, name: known };
    if (this.#names.size >= this.#maxNames) return { text };
    const name = `${this.#prefix}_${this.#names.size}`;
    this.#names.set(text, name);
    return { text, name };
  }

  status(): SessionStatus {
    const { options, totalCount, idleCount, waitingCount } = this.#pool;
    return {
      max: options.max,
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

  /** `error`: the error of its last user, if any. */
  giveBack(client: PoolClient, error: unknown, isBroken = false): void {
    const refusesToWrite = onlyReads(error);
    const now = performance.now();
    if (refusesToWrite && now - this.#suspectBefore >= suspectEveryMs) this.#suspectBefore = now;
    if (isUnknownStatement(error)) this.#keepNoStatements();
    // A cancelled session has a shorter timeout from then on.
    client.release(isBroken || refusesToWrite || wasCancelled(error));
  }

  /** A pool for Kysely, which would keep a read-only session. */
  forKysely(): PostgresPool {
    const connect = async () => {
      const client = await this.take();
      let failure: unknown;
      const query = async (sql: string, parameters: unknown[]) => {
        try {
          const result = await client.query(sql === 'begin' ? this.begin : sql, parameters);
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

  /** A pooler that does not track prepared statements gives each transaction another session. Callers retry without names. */
  #keepNoStatements(): void {
    if (this.#maxNames === 0) return;
    this.#maxNames = 0;
    this.#names.clear();
    this.#onStatementsLost();
  }

  /** A callback, because the driver's promises survive until a full garbage collection. */
  #connect(): Promise<PoolClient> {
    const pool = this.#pool;
    const { promise, resolve, reject } = Promise.withResolvers<PoolClient>();
    const hasToWait = pool.idleCount === 0 && pool.totalCount >= pool.options.max;
    const askedAt = hasToWait ? performance.now() : 0;
    if (hasToWait) this.#waits += 1;
    pool.connect((error, client) => {
      if (hasToWait) this.#waitedMs += performance.now() - askedAt;
      if (client !== undefined) return resolve(client);
      // With all sessions connected, the wait for a free one timed out.
      const isOurs = this.#madeAt.size >= pool.options.max;
      reject(isOurs ? allInUse(pool.options.max) : error);
    });
    return promise;
  }
}

function allInUse(max: number): Refusal {
  const detail = `all ${max} sessions of this process with PostgreSQL were in use for too long`;
  return new Refusal('overloaded', { detail, retryAfterSeconds: 1 });
}
