import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { makePrivateFolder } from '../../base/files.ts';
import { RecentMap } from '../../base/recent-map.ts';
import type { Row } from '../engine.ts';

export interface FileIdentity {
  readonly dev: number;
  readonly ino: number;
}

export interface StatementOutcome {
  readonly rows: Record<string, unknown>[];
  readonly rowCount: number;
}

/** Negative: kilobytes. With SQLite's 2 MB the inner pages of a million records do not stay in memory. */
const cacheKilobytes = -16_000;

/** How long a write waits for the write lock of another process. */
export const busyTimeoutMs = 2_000;

/** Each pragma is read back, because SQLite ignores what it cannot set. */
const pragmas = {
  journal_mode: 'wal',
  synchronous: 2,
  foreign_keys: 1,
  busy_timeout: busyTimeoutMs,
  secure_delete: 1,
  cache_size: cacheKilobytes,
  // The write-ahead log is checkpointed after 16 MB instead of 4, so a page that many writes change is written once.
  wal_autocheckpoint: 4_000,
  // The log grows while a backup reads. Afterwards it is reused from its beginning, and truncated to this.
  journal_size_limit: 67_108_864,
};

/** A reader never waits for a writer; this timeout is for the moments when the log is created or checkpointed. */
const readerWaitsMs = 50;

/** SQLite's result codes for a locked file, and for one that cannot be opened. */
const busy = 5;
const cannotOpen = 14;

/** Callers choose filters, so the number of statements is limited (LRU). */
const maxStatements = 300;

interface Prepared {
  readonly statement: StatementSync;
  readonly hasRows: boolean;
}

/** A connection to a file, with its prepared statements. Synchronous, like `node:sqlite`. */
export class SqliteConnection {
  readonly database: DatabaseSync;
  readonly #file: string;
  readonly #opened: FileIdentity;
  readonly #statements = new RecentMap<string, Prepared>(maxStatements);
  readonly #lists = new RecentMap<string, Prepared>(maxStatements);

  private constructor(database: DatabaseSync, file: string, opened: FileIdentity) {
    this.database = database;
    this.#file = file;
    this.#opened = opened;
    this.checkFile();
  }

  static forWriting(file: string): SqliteConnection {
    makePrivateFolder(dirname(file));
    makePrivate(file);
    const database = new DatabaseSync(file);
    // Changing the journal mode needs exclusive access for a moment, so the busy timeout is set first.
    database.exec(`pragma busy_timeout = ${pragmas.busy_timeout}`);
    for (const [name, expected] of Object.entries(pragmas)) {
      setPragma(database, name, expected);
      const found = Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0];
      if (found !== expected) throw new Error(`"pragma ${name}" is ${found} instead of ${expected}`);
    }
    chmodSync(file, 0o600);
    return new SqliteConnection(database, file, statSync(file));
  }

  /** Sees the committed rows of the writing connection. */
  static forReading(file: string, opened: FileIdentity): SqliteConnection {
    return SqliteConnection.#readOnly(file, opened, readerWaitsMs);
  }

  /** For a command that may run as another user: creates no file. Without a log no process has the database open. */
  static withoutTraces(file: string, opened: FileIdentity): SqliteConnection {
    const address = pathToFileURL(file);
    if (!existsSync(`${file}-wal`)) address.searchParams.set('immutable', '1');
    return SqliteConnection.#readOnly(file, opened, busyTimeoutMs, address);
  }

  static #readOnly(file: string, opened: FileIdentity, timeout: number, address: URL | string = file) {
    const database = new DatabaseSync(address, { readOnly: true, timeout });
    const connection = new SqliteConnection(database, file, opened);
    // Opened after the constructor has checked that this is the file.
    database.exec(`pragma cache_size = ${cacheKilobytes}`);
    return connection;
  }

  /** Fails if the file was removed or replaced: SQLite would go on, and lose the writes. */
  checkFile(): void {
    const found = statSync(this.#file, { throwIfNoEntry: false });
    if (found?.ino === this.#opened.ino && found.dev === this.#opened.dev) return;
    throw Object.assign(new Error('the file was removed or replaced'), {
      code: 'ERR_SQLITE_ERROR',
      errcode: cannotOpen,
    });
  }

  run(sql: string, parameters: readonly SQLInputValue[]): StatementOutcome {
    return outcomeOf(this.#prepared(this.#statements, sql), parameters);
  }

  rows(sql: string, parameters: readonly SQLInputValue[]): readonly Row[] {
    const { statement } = this.#prepared(this.#lists, sql, (made) => made.setReturnArrays(true));
    return statement.all(...parameters) as unknown as readonly Row[];
  }

  get isInTransaction(): boolean {
    return this.database.isOpen && this.database.isTransaction;
  }

  undo(): void {
    try {
      if (this.isInTransaction) this.database.exec('rollback');
    } catch {
      // The next open rolls it back.
    }
  }

  close(): void {
    this.#statements.clear();
    this.#lists.clear();
    this.database.close();
  }

  #prepared(
    kept: RecentMap<string, Prepared>,
    sql: string,
    adjust?: (made: StatementSync) => void,
  ): Prepared {
    const known = kept.get(sql);
    if (known !== undefined) return known;
    const made = prepare(this.database, sql);
    adjust?.(made.statement);
    kept.set(sql, made);
    return made;
  }
}

export function prepare(database: DatabaseSync, sql: string): Prepared {
  const statement = database.prepare(sql);
  return { statement, hasRows: statement.columns().length > 0 };
}

export function outcomeOf(
  { statement, hasRows }: Prepared,
  parameters: readonly SQLInputValue[],
): StatementOutcome {
  // SQLite's rows have no prototype; PostgreSQL's have one.
  if (hasRows) return { rows: statement.all(...parameters).map((row) => ({ ...row })), rowCount: 0 };
  return { rows: [], rowCount: Number(statement.run(...parameters).changes) };
}

/** SQLite refuses one of two processes that create the log at once, without waiting: that one retries. */
function setPragma(database: DatabaseSync, name: string, value: string | number): void {
  const giveUpAt = performance.now() + pragmas.busy_timeout;
  for (;;) {
    try {
      database.exec(`pragma ${name} = ${value}`);
      return;
    } catch (error) {
      // The lowest byte of SQLite's code is the kind of error.
      const isBusy = (Number((error as { errcode?: unknown }).errcode) & 0xff) === busy;
      if (!isBusy || performance.now() > giveUpAt) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

/** SQLite would make it world-readable. The two files of its log get the permissions of this one. */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch {
    // The file exists already, or SQLite reports what is wrong.
  }
}
