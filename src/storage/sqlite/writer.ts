import type { Driver } from 'kysely';
import { Refusal } from '../../base/errors.ts';
import type { OnReload, Outcome } from '../port.ts';
import { driverBasics, KyselyConnection } from './dialect.ts';
import type { SqliteThread } from './thread.ts';

/** How long a task may wait for the connection, and how many may wait. */
const longestWaitMs = 5_000;
const maxWaiting = 5_000;

/** Grants the writing connection to one task at a time: a batch, or a Kysely transaction. */
export class SqliteWriter {
  readonly driver: Driver;
  readonly #thread: SqliteThread;
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  constructor(thread: SqliteThread) {
    this.#thread = thread;
    const connection = new KyselyConnection((sql, parameters) => thread.run(sql, parameters));
    this.driver = {
      ...driverBasics,
      acquireConnection: async () => {
        await this.#take();
        return connection;
      },
      releaseConnection: async () => this.#give(),
    };
  }

  async batch(operations: readonly unknown[], onReload: OnReload): Promise<readonly Outcome[]> {
    await this.#take();
    try {
      return await this.#thread.runBatch(operations, onReload);
    } finally {
      this.#give();
    }
  }

  #take(): Promise<void> {
    if (!this.#isTaken) {
      this.#isTaken = true;
      return Promise.resolve();
    }
    if (this.#waiting.length >= maxWaiting) return Promise.reject(tooMany());
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(go), 1);
      reject(tooMany());
    }, longestWaitMs);
    const go = () => {
      clearTimeout(timer);
      resolve();
    };
    this.#waiting.push(go);
    return promise;
  }

  /** The connection goes to the next task in the queue, or becomes free. */
  #give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}

function tooMany(): Refusal {
  return new Refusal('overloaded', {
    detail: 'the queue for SQLite is full in this process',
    retryAfterSeconds: 1,
  });
}
