import type { Refusal } from '../base/errors.ts';
import type { Database } from './schema.ts';

/** The fixed set of parts by which one database differs from the other. */
export interface Engine {
  readonly name: 'sqlite' | 'postgres';
  readonly database: Database;
  /**
   * Serialises, until the transaction ends, everybody who takes a lock of that name: other processes too.
   * SQLite has one writer at a time and starts every transaction as one, so there it has nothing to do.
   */
  lock(transaction: Database, name: string): Promise<void>;
  /** Tells everybody who watches, once the transaction is committed, that a client or consumer changed its state. */
  announce(transaction: Database): Promise<void>;
  watch(onChange: () => void): Promise<() => Promise<void>>;
  /** The refusal to answer with when the database could not do its work; null when the error is a bug of ours. */
  unavailable(error: unknown): Refusal | null;
  close(): Promise<void>;
}
