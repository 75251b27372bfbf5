import type { SQLInputValue } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type LimitNode,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { Refusal } from '../../base/errors.ts';
import { type Connection, inTransaction } from '../transaction.ts';
import { type SqliteConnection, SqliteError } from './thread.ts';
import { Turns } from './turns.ts';
import { unavailable } from './unavailable.ts';

/** SQLite's result code for a statement that makes no sense now. */
const misplaced = 1;

const ignore = () => {};

/** As a writer from the start: upgrading a read to a write half-way is what makes SQLite refuse with "busy". */
const begin = 'begin immediate';

/** Kysely over an SQLite connection. */
export function sqliteDialect(driver: SqliteDriver): Dialect {
  return {
    // Kysely would let statements wait without end and without order, before they get to take turns.
    createAdapter: () =>
      Object.defineProperty(new SqliteAdapter(), 'supportsMultipleConnections', { value: true }),
    createDriver: () => driver,
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new QueryCompiler(),
  };
}

/** SQLite plans by the value of a limit, and compiles the statement anew whenever one is bound. The sign hides it. */
class QueryCompiler extends SqliteQueryCompiler {
  protected override visitLimit({ limit }: LimitNode): void {
    this.append('limit +');
    this.visitNode(limit);
  }
}

/** Lets those take turns who want the connection, which is opened at the first query: so many at once have it. */
export class SqliteDriver implements Driver {
  readonly #open: () => Promise<SqliteConnection>;
  readonly #turns: Turns;
  #opening: Promise<SqliteConnection> | null = null;
  #connection: DatabaseConnection | null = null;

  constructor(open: () => Promise<SqliteConnection>, atOnce: number) {
    this.#open = open;
    this.#turns = new Turns(
      atOnce,
      // Not begun yet, and by nobody's fault but ours.
      () =>
        new Refusal('overloaded', {
          detail: 'too much waits for SQLite in this process',
          retryAfterSeconds: 1,
        }),
    );
  }

  async init(): Promise<void> {
    this.#connection = new ThreadConnection(await this.#opened());
  }

  /** Straight on the connection, without Kysely. */
  async transaction<T>(work: (transaction: Connection) => Promise<T>): Promise<T> {
    const thread = await this.#opened();
    await this.#turns.take();
    try {
      return await inTransaction(
        {
          begin,
          run: (sql, parameters) => thread.run(sql, parameters as readonly SQLInputValue[], sql !== begin),
          explain: (error) => unavailable(error) ?? error,
          undo: () => thread.run('rollback', []).then(ignore, ignore),
        },
        work,
      );
    } finally {
      this.#turns.give();
    }
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#connection === null) throw new Error('a connection is asked for before there is one');
    await this.#turns.take();
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    this.#turns.give();
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(begin));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  /** A full disk and the like have ended the transaction already; that error counts, not that there is nothing to undo. */
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await connection.executeQuery(CompiledQuery.raw('rollback'));
    } catch (error) {
      if (!(error instanceof SqliteError && error.resultCode === misplaced)) throw error;
    }
  }

  async destroy(): Promise<void> {
    const thread = await this.#opening?.catch(() => null);
    await thread?.close();
  }

  /** One that could not be opened is tried again by the next who wants it. */
  #opened(): Promise<SqliteConnection> {
    this.#opening ??= this.#open().catch((error) => {
      this.#opening = null;
      throw error;
    });
    return this.#opening;
  }
}

class ThreadConnection implements DatabaseConnection {
  readonly #thread: SqliteConnection;

  constructor(thread: SqliteConnection) {
    this.#thread = thread;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, rowCount } = await this.#thread.run(
      query.sql,
      query.parameters as readonly SQLInputValue[],
    );
    return { rows: rows as R[], numAffectedRows: BigInt(rowCount) };
  }

  // biome-ignore lint/correctness/useYield: the port has no method that streams
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not supported');
  }
}
