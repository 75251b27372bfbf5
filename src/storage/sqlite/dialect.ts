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
import { type SqliteConnection, SqliteError } from './thread.ts';
import { Turns } from './turns.ts';

/** SQLite's result codes for a statement that makes no sense now, and for a database that somebody else has locked. */
const misplaced = 1;
const busy = 5;

/** Kysely over an SQLite connection, which is opened at the first query. So many statements are on their way at once. */
export function sqliteDialect(open: () => Promise<SqliteConnection>, atOnce: number): Dialect {
  return {
    // Kysely would let statements wait without end and without order, before they get to take turns.
    createAdapter: () =>
      Object.defineProperty(new SqliteAdapter(), 'supportsMultipleConnections', { value: true }),
    createDriver: () => new ThreadDriver(open, atOnce),
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

class ThreadDriver implements Driver {
  readonly #open: () => Promise<SqliteConnection>;
  readonly #turns: Turns;
  #thread: SqliteConnection | null = null;
  #connection: DatabaseConnection | null = null;

  constructor(open: () => Promise<SqliteConnection>, atOnce: number) {
    this.#open = open;
    this.#turns = new Turns(
      atOnce,
      () => new SqliteError({ message: 'the connection is busy', resultCode: busy }),
    );
  }

  async init(): Promise<void> {
    this.#thread = await this.#open();
    this.#connection = new ThreadConnection(this.#thread);
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#connection === null) throw new Error('a connection is asked for before there is one');
    await this.#turns.take();
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    this.#turns.give();
  }

  /** As a writer from the start: upgrading a read to a write half-way is what makes SQLite refuse with "busy". */
  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
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
    await this.#thread?.close();
  }
}

class ThreadConnection implements DatabaseConnection {
  readonly #thread: SqliteConnection;

  constructor(thread: SqliteConnection) {
    this.#thread = thread;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, changes } = await this.#thread.run(query.sql, query.parameters as readonly SQLInputValue[]);
    return { rows: rows as R[], numAffectedRows: BigInt(changes) };
  }

  // biome-ignore lint/correctness/useYield: the port has no method that streams
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not supported');
  }
}
