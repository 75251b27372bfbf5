import type { Refusal } from '../base/errors.ts';
import type { BatchRulesSource, BatchStore, SessionStatus, StandingStore, WatchedTable } from './port.ts';
import type { Database } from './schema.ts';

/** A row as a list of its columns. Both drivers make that in half the time of an object with names. */
export type Row = readonly unknown[];
export type Read = (sql: string, parameters: readonly unknown[]) => Promise<readonly Row[]>;

/** The fixed set of parts by which one database differs from the other. */
export interface Engine {
  readonly name: 'sqlite' | 'postgres';
  readonly database: Database;
  /** For what is only read: it never waits behind a write of this process. Where nothing is read by itself, the same. */
  readonly reader: Database;
  /**
   * Serialises, until the transaction ends, everybody who takes a lock of that name: other processes too.
   * SQLite has one writer at a time and starts every transaction as one, so there it has nothing to do.
   */
  lock(transaction: Database, name: string): Promise<void>;
  /** The same for statements that are made already: see `prepared.ts`. */
  readonly read: Read;
  openBatches(rules: BatchRulesSource): Promise<BatchStore>;
  /** One transaction that may take longer than a request ever would. */
  unhurried<T>(work: (transaction: Database) => Promise<T>): Promise<T>;
  readonly tables: TableChanges;
  /**
   * Tells everybody who watches, once the transaction is committed, that something of this table has changed, which they keep in
   * memory. As late in it as can be: see `countChange`.
   */
  announce(transaction: Database, changed: WatchedTable): Promise<void>;
  watch: StandingStore['watch'];
  /** Calls back soon after any process has appended events. May call back for nothing. The returned function ends it. */
  watchAppended(onAppended: () => void): Promise<() => Promise<void>>;
  readonly residue: Residue;
  /** What this user may not do and must, to look at all that is there or to serve; null when nothing is missing. */
  missingRights(purpose: 'look' | 'serve'): Promise<MissingRights | null>;
  /** Where there are sessions. */
  sessionStatus?(): SessionStatus;
  /** The refusal to answer with when the database could not do its work; null when the error is a bug of ours. */
  unavailable(error: unknown): Refusal | null;
  close(): Promise<void>;
}

export interface MissingRights {
  readonly found: string;
  /** The statements that give them. */
  readonly advice: string;
}

/** Changes tables beside everybody who works with them, in this process and in others. */
export interface TableChanges {
  /**
   * One transaction under the lock of that name. It waits for a table only for a moment, because others wait behind it,
   * and is done from its beginning later when it did not get it.
   */
  alter<T>(lock: string, work: (transaction: Database) => Promise<T>): Promise<T>;
  /** Makes an index unless it is there. PostgreSQL does it beside those who write; in SQLite they wait. */
  buildIndex(index: NewIndex): Promise<void>;
}

export interface NewIndex {
  readonly name: string;
  readonly table: string;
  /** What stands behind the table in the statement. */
  readonly on: string;
}

/** What deleted rows leave behind in the files of a database. PostgreSQL reuses and recycles its files by itself. */
export interface Residue {
  /** Notes, within the transaction that deletes, that there is something to scrub. */
  note(transaction: Database): Promise<void>;
  /** Empties the log, as far as nobody else is reading it. */
  flush(): Promise<void>;
  /** Whether something was noted since the last time. */
  isDue(): Promise<boolean>;
  /** Writes the database anew when it is due; `quickly`: unless it is too large for it to be over in a moment. */
  scrub(quickly: boolean): Promise<void>;
}
