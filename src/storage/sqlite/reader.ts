import type { SQLInputValue } from 'node:sqlite';
import type { Driver } from 'kysely';
import type { Connection, StatementResult } from '../transaction.ts';
import { type FileIdentity, SqliteConnection } from './connection.ts';
import { driverBasics, KyselyConnection } from './dialect.ts';

/**
 * Reads, on the event loop: a record takes about ten microseconds and a page of fifty a fifth of a millisecond, less than
 * the way to a thread and back. In WAL mode a reader never waits for a writer. Opened at the first read.
 */
export class SqliteReader implements Connection {
  readonly driver: Driver;
  readonly #file: string;
  readonly #identity: FileIdentity;
  #connection: SqliteConnection | null = null;

  constructor(file: string, identity: FileIdentity) {
    this.#file = file;
    this.#identity = identity;
    const connection = new KyselyConnection((sql, parameters) => this.#read(sql, parameters));
    this.driver = {
      ...driverBasics,
      acquireConnection: async () => connection,
      releaseConnection: async () => {},
    };
  }

  async run(sql: string, parameters: readonly unknown[]): Promise<StatementResult> {
    return this.#read(sql, parameters as readonly SQLInputValue[]);
  }

  close(): void {
    this.#connection?.close();
    this.#connection = null;
  }

  #read(sql: string, parameters: readonly SQLInputValue[]) {
    this.#connection ??= SqliteConnection.forReading(this.#file, this.#identity);
    this.#connection.checkFile();
    return this.#connection.run(sql, parameters);
  }
}
