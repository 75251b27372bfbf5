import type { SQLInputValue } from 'node:sqlite';
import type { Driver } from 'kysely';
import type { Row } from '../engine.ts';
import { type FileIdentity, SqliteConnection } from './connection.ts';
import { directDriver } from './dialect.ts';

/** Reads on the event loop: a record takes 10 microseconds, less than a message to a thread. Opened at the first read. */
export class SqliteReader {
  readonly driver: Driver;
  readonly #file: string;
  readonly #identity: FileIdentity;
  readonly #connect: typeof SqliteConnection.forReading;
  #connection: SqliteConnection | null = null;

  constructor(file: string, identity: FileIdentity, connect = SqliteConnection.forReading) {
    this.#file = file;
    this.#identity = identity;
    this.#connect = connect;
    this.driver = directDriver((sql, parameters) => this.#open().run(sql, parameters));
  }

  async read(sql: string, parameters: readonly unknown[]): Promise<readonly Row[]> {
    return this.#open().rows(sql, parameters as readonly SQLInputValue[]);
  }

  close(): void {
    this.#connection?.close();
    this.#connection = null;
  }

  #open(): SqliteConnection {
    this.#connection ??= this.#connect(this.#file, this.#identity);
    this.#connection.checkFile();
    return this.#connection;
  }
}
