import type { Refusal } from '../base/errors.ts';
import type { NowOrLater } from '../base/handler.ts';
import type { Begin } from '../base/progress.ts';
import type {
  BatchRulesSource,
  BatchStore,
  CopiesLeft,
  DatabaseSpace,
  OnReload,
  SessionStatus,
  StandingStore,
  WatchedTable,
} from './port.ts';
import type { Database } from './schema.ts';

/** A row as a list of columns. Both drivers create it in half the time of an object with names. */
export type Row = readonly unknown[];
/** SQLite answers at once, PostgreSQL later. */
export type Read = (sql: string, parameters: readonly unknown[]) => NowOrLater<readonly Row[]>;

/** The fixed set of parts by which one database differs from the other. */
export interface Engine {
  readonly name: 'sqlite' | 'postgres';
  readonly database: Database;
  /** The connection for reads, which never wait for a write of this process. On PostgreSQL this is `database`. */
  readonly reader: Database;
  /** Serialises all transactions, across processes, that take the lock of this name. SQLite has only one writer anyway. */
  lock(transaction: Database, name: string): Promise<void>;
  /** Runs a compiled statement on `reader`: see `prepared.ts`. */
  readonly read: Read;
  openBatches(rules: BatchRulesSource, onReload: OnReload): Promise<BatchStore>;
  /** One transaction that may take longer than any request. */
  longTransaction<T>(work: (transaction: Database) => Promise<T>): Promise<T>;
  readonly tables: TableChanges;
  /** Tells all processes, once the transaction is committed, that this table has changed. Call it as late as possible. */
  announce(transaction: Database, changed: WatchedTable): Promise<void>;
  watch: StandingStore['watch'];
  /** Calls back soon after any process has appended events. May call back without a new event. The returned function ends it. */
  watchAppended(onAppended: () => void): Promise<() => Promise<void>>;
  readonly residue: Residue;
  /** The rights that the database user lacks to read or to serve. */
  missingRights(purpose: 'look' | 'serve'): Promise<MissingRights | null>;
  sessionStatus?(): SessionStatus;
  space(): Promise<DatabaseSpace>;
  /** The refusal to answer with when the database could not do its work; null when the error is a bug of ours. */
  unavailable(error: unknown): Refusal | null;
  close(): Promise<void>;
}

export interface MissingRights {
  readonly found: string;
  readonly advice: string;
}

export interface TableChanges {
  /** One transaction under a lock. It waits only a moment for a table, because others queue behind it, and then retries. */
  alter<T>(lock: string, work: (transaction: Database) => Promise<T>): Promise<T>;
  /** Creates an index unless it exists; on PostgreSQL without blocking writers. */
  buildIndex(index: NewIndex): Promise<void>;
  /** How far the index is that this process creates. SQLite does not say. */
  readonly indexExtent?: Parameters<Begin>[1];
}

export interface NewIndex {
  readonly name: string;
  readonly table: string;
  /** The statement after the name of the table. */
  readonly on: string;
}

/** Removes what deleted rows leave in the files of a database. PostgreSQL reuses and recycles its files by itself. */
export interface Residue {
  /** Marks the file as due, within the transaction that deletes. */
  note(transaction: Database, what: 'deletions' | 'erasures'): Promise<void>;
  /** Empties the write-ahead log, as far as no reader needs it. */
  flush(): Promise<void>;
  left(): Promise<CopiesLeft>;
  /** Rewrites the file if it is due; with `quickly` only a small one. */
  scrub(quickly: boolean): Promise<void>;
}

/** An error thrown by the rules of a batch: a bug of ours, not a fault of the database. */
export class ThrownByRules extends Error {
  override readonly name = 'ThrownByRules';
}
