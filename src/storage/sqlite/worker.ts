import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { threadTask } from '../../base/threads.ts';

/**
 * A thread that owns an SQLite connection. `node:sqlite` is synchronous and a durable commit waits for the
 * disk, so it runs here: neither a commit nor a lock held by another process ever stops the event loop.
 */

/** What the thread is there for. */
export interface SqliteTask {
  readonly file: string;
  /** The file that is to be read, and nothing else; null for the connection that writes. */
  readonly onlyRead: FileIdentity | null;
}

/** A file, whatever it is called. */
export interface FileIdentity {
  readonly dev: number;
  readonly ino: number;
}

/** A statement to run. */
export interface SqliteRequest {
  readonly id: number;
  readonly sql: string;
  readonly parameters: readonly SQLInputValue[];
  /** Only as a part of a transaction: one that has failed, or a full disk has ended, must not let the rest of it happen. */
  readonly within: boolean;
}

/** Whoever started the thread may also let another thread ask, and end it all: null closes the connection. */
export type SqliteMessage = SqliteRequest | { readonly newcomer: MessagePort } | null;

export type SqliteReply =
  | { readonly id: number; readonly rows: Record<string, unknown>[]; readonly rowCount: number }
  | { readonly id: number; readonly error: SqliteFailure };

/** An error in a form that crosses threads. Id 0 reports how opening went. */
export interface SqliteFailure {
  readonly message: string;
  readonly resultCode: number | null;
}

/** What the service relies on; each is set and then read back, because SQLite ignores what it cannot do. */
const pragmas = {
  journal_mode: 'wal',
  synchronous: 2,
  foreign_keys: 1,
  busy_timeout: 2000,
  secure_delete: 1,
};

function open(file: string): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  makePrivate(file);
  const database = new DatabaseSync(file);
  // Changing the journal mode needs the file to itself for a moment, so waiting for others comes first.
  database.exec(`pragma busy_timeout = ${pragmas.busy_timeout}`);
  for (const [name, expected] of Object.entries(pragmas)) {
    database.exec(`pragma ${name} = ${expected}`);
    const found = Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0];
    if (found !== expected) throw new Error(`"pragma ${name}" is ${found} instead of ${expected}`);
  }
  chmodSync(file, 0o600);
  return database;
}

/** SQLite would make it readable for everybody. The two files of its log get the permissions that this one has. */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch {
    // It is there already, or SQLite says what is wrong.
  }
}

/** Never makes a file, and sees what the other connection has committed. */
function openForReading(file: string): DatabaseSync {
  return new DatabaseSync(file, { readOnly: true, timeout: pragmas.busy_timeout });
}

/** SQLite's result code for a file that cannot be opened. */
const cannotOpen = 14;

/**
 * Fails when the file that was opened is not at its place any more. SQLite would go on with what is left of it, and
 * what is written to a deleted file is lost with the process.
 */
function fileGuard(file: string, opened: FileIdentity): () => void {
  return () => {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.ino === opened.ino && found.dev === opened.dev) return;
    throw Object.assign(new Error('the file was removed or replaced'), { errcode: cannotOpen });
  };
}

/** Callers choose what they filter by, so there is no end of different statements; those used last are kept. */
const mostStatements = 300;

function statementsOf(database: DatabaseSync): (sql: string) => StatementSync {
  const kept = new Map<string, StatementSync>();
  return (sql) => {
    const statement = kept.get(sql) ?? database.prepare(sql);
    kept.delete(sql);
    kept.set(sql, statement);
    if (kept.size > mostStatements) kept.delete(kept.keys().next().value ?? '');
    return statement;
  };
}

const noTransaction: SqliteFailure = { message: 'the transaction has ended', resultCode: null };

/** One connection for several who ask. A transaction has it to itself: what others ask meanwhile waits for its end. */
class Counter {
  readonly #database: DatabaseSync;
  readonly #statementFor: (sql: string) => StatementSync;
  readonly #checkFile: () => void;
  #inTransaction: MessagePort | null = null;
  #line: { readonly asker: MessagePort; readonly request: SqliteRequest }[] = [];

  constructor(database: DatabaseSync, checkFile: () => void) {
    this.#database = database;
    this.#statementFor = statementsOf(database);
    this.#checkFile = checkFile;
  }

  take(asker: MessagePort, request: SqliteRequest): void {
    this.#line.push({ asker, request });
    this.#goOn();
  }

  /** Somebody is gone. What it has begun is undone. */
  leave(asker: MessagePort): void {
    this.#line = this.#line.filter((waiting) => waiting.asker !== asker);
    if (this.#inTransaction !== asker) return;
    this.#undo();
    this.#inTransaction = null;
    this.#goOn();
  }

  #goOn(): void {
    for (;;) {
      const next = this.#line.findIndex(
        ({ asker }) => this.#inTransaction === null || this.#inTransaction === asker,
      );
      const [first] = next === -1 ? [] : this.#line.splice(next, 1);
      if (first === undefined) return;
      first.asker.postMessage(this.#run(first.request));
      this.#inTransaction = this.#isInTransaction ? first.asker : null;
    }
  }

  get #isInTransaction(): boolean {
    return this.#database.isOpen && this.#database.isTransaction;
  }

  #undo(): void {
    try {
      if (this.#isInTransaction) this.#database.exec('rollback');
    } catch {
      // The disk does not let it; whatever was begun is undone when the file is opened next.
    }
  }

  #run({ id, sql, parameters, within }: SqliteRequest): SqliteReply {
    try {
      this.#checkFile();
    } catch (error) {
      // Nobody could end it any more, and others would wait for its end.
      this.#undo();
      return { id, error: failure(error) };
    }
    if (within && !this.#isInTransaction) return { id, error: noTransaction };
    try {
      const statement = this.#statementFor(sql);
      const returnsRows = statement.columns().length > 0;
      const rows = returnsRows ? statement.all(...parameters) : [];
      const rowCount = returnsRows ? 0 : Number(statement.run(...parameters).changes);
      return { id, rows, rowCount };
    } catch (error) {
      return { id, error: failure(error) };
    }
  }
}

function serve(database: DatabaseSync, checkFile: () => void, owner: MessagePort): void {
  const counter = new Counter(database, checkFile);
  const newcomers = new Set<MessagePort>();
  const admit = (asker: MessagePort) => {
    newcomers.add(asker);
    asker.on('message', (request: SqliteRequest) => counter.take(asker, request));
    asker.once('close', () => {
      if (newcomers.delete(asker)) counter.leave(asker);
    });
  };
  owner.on('message', (message: SqliteMessage) => {
    if (message !== null && 'newcomer' in message) return admit(message.newcomer);
    if (message !== null) return counter.take(owner, message);
    const askers = [...newcomers, owner];
    newcomers.clear();
    database.close();
    for (const asker of askers) asker.close();
  });
}

function failure(error: unknown): SqliteFailure {
  const { message, errcode } = error as { message?: unknown; errcode?: unknown };
  return { message: String(message), resultCode: typeof errcode === 'number' ? errcode : null };
}

if (parentPort !== null) {
  try {
    const { file, onlyRead } = threadTask<SqliteTask>();
    const database = onlyRead === null ? open(file) : openForReading(file);
    const checkFile = fileGuard(file, onlyRead ?? statSync(file));
    checkFile();
    serve(database, checkFile, parentPort);
    parentPort.postMessage({ id: 0, rows: [], rowCount: 0 } satisfies SqliteReply);
  } catch (error) {
    parentPort.postMessage({ id: 0, error: failure(error) } satisfies SqliteReply);
  }
}
