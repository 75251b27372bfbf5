import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type LimitNode,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Tables } from '../schema.ts';
import { outcomeOf, prepare, type StatementOutcome } from './connection.ts';
import { SqliteError } from './thread.ts';

/** SQLITE_ERROR: here, a statement that is invalid in this state. */
const sqliteError = 1;

/** Begins as a writer: upgrading a read to a write half-way is what makes SQLite refuse with "busy". */
const begin = 'begin immediate';

export function sqliteDialect(driver: Driver): Dialect {
  return {
    // Otherwise Kysely would make statements wait for its one connection, without limit and order, before they reach our queue.
    createAdapter: () =>
      Object.defineProperty(new SqliteAdapter(), 'supportsMultipleConnections', { value: true }),
    createDriver: () => driver,
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new QueryCompiler(),
  };
}

/** SQLite plans by the value of a limit, and recompiles the statement whenever one is bound. The sign hides it. */
class QueryCompiler extends SqliteQueryCompiler {
  protected override visitLimit({ limit }: LimitNode): void {
    this.append('limit +');
    this.visitNode(limit);
  }
}

type Run = (
  sql: string,
  parameters: readonly SQLInputValue[],
) => StatementOutcome | Promise<StatementOutcome>;

export class KyselyConnection implements DatabaseConnection {
  readonly #run: Run;

  constructor(run: Run) {
    this.#run = run;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, rowCount } = await this.#run(query.sql, query.parameters as readonly SQLInputValue[]);
    return { rows: rows as R[], numAffectedRows: BigInt(rowCount) };
  }

  // biome-ignore lint/correctness/useYield: the port has no method that streams
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not supported');
  }
}

export function kyselyOn(database: DatabaseSync): Kysely<Tables> {
  const driver = directDriver((text, parameters) => outcomeOf(prepare(database, text), parameters));
  return new Kysely<Tables>({
    dialect: sqliteDialect({ ...driver, destroy: async () => database.close() }),
  });
}

/** Statements run at once, on the caller's thread. */
export function directDriver(run: Run): Driver {
  const connection = new KyselyConnection(run);
  return {
    ...driverBasics,
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
  };
}

/** The common part of the two drivers: no setup, and SQLite's transactions. */
export const driverBasics = {
  async init(): Promise<void> {},
  async destroy(): Promise<void> {},

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(begin));
  },

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  },

  /** A full disk and the like have already ended the transaction; that error counts, not the failed rollback. */
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await connection.executeQuery(CompiledQuery.raw('rollback'));
    } catch (error) {
      if (!(error instanceof SqliteError && error.resultCode === sqliteError)) throw error;
    }
  },
};
