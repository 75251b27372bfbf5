import type { UsedProof } from '../base/caller.ts';
import type { AuditEntry } from './entities.ts';
import type { Erasure } from './erasure-port.ts';
import type { NewEvent } from './event-port.ts';

/** A record of a declared collection. */
export interface StoredRecord {
  readonly collection: string;
  readonly id: string;
  /** The pseudonym of whom it belongs to. */
  readonly owner: string;
  /** Null in a collection without states. */
  readonly state: string | null;
  /** Another one with every change, and never the same again. */
  readonly revision: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The fields, in JSON. */
  readonly body: string;
}

/** A field of the body that records can be filtered and sorted by. */
export interface IndexedField {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'boolean';
}

/** What the records of a collection are listed by. */
export interface DeclaredIndexes {
  readonly name: string;
  readonly index: readonly IndexedField[];
  /** Whether somebody lists the records of others; when it is not said, yes. */
  readonly listedByOthers?: boolean;
  /** Whether its records expire; when it is not said, yes. */
  readonly expires?: boolean;
  /** The most that the fields of a record have; when it is not said, little. */
  readonly bytes?: number;
}

export type Operator = 'eq' | 'gt' | 'gte' | 'lt' | 'lte';
/** Booleans are 0 and 1. */
export type FieldValue = string | number;

/** A place in the order of a list: that of a record with this value and id, whether it is there or not. */
export interface Place {
  readonly value: FieldValue;
  readonly id: string;
}

export interface RecordQuery {
  readonly collection: string;
  /** Null: everybody's. */
  readonly owner: string | null;
  readonly state: string | null;
  readonly conditions: readonly {
    readonly field: IndexedField | 'created_at';
    readonly operator: Operator;
    readonly value: FieldValue;
  }[];
  /** Records that agree in it come by id, in the same direction. */
  readonly sort: { readonly field: IndexedField | 'created_at'; readonly descending: boolean };
  /** Only what comes after this place in that order. */
  readonly after: Place | null;
  /** And not beyond this one; when it is not said, to the end. */
  readonly until?: Place | null;
  readonly limit: number;
  /** What was last changed at this time or before has expired; null: nothing expires. */
  readonly expiredAt: number | null;
}

/** How much of its limits an owner has used in one collection. Budgets count from the beginning of their window. */
export interface Usage {
  readonly records: number;
  readonly writes: number;
  readonly writesSince: number;
  readonly newcomerWrites: number;
  readonly newcomerSince: number;
}

/** What is counted when a caller is erased. */
export interface Erased {
  readonly records: Readonly<Record<string, number>>;
  readonly idempotencyKeys: number;
  /** Until when it stays what was spent of budgets; null when nothing stays. */
  readonly budgetsKeptUntil: number | null;
}

/** What stays of the budgets of a caller that is erased. */
export interface ErasedBudgets {
  /** The name under which it stays, which leads back to nobody. */
  readonly former: Uint8Array;
  /** Until when that usage counts; null: it does not any more. */
  endOf(collection: string, usage: Usage): number | null;
}

export interface RecordStore {
  /** Makes the indexes that these collections need and drops those that none needs any more. */
  prepare(collections: readonly DeclaredIndexes[]): Promise<void>;
  find(collection: string, id: string): Promise<StoredRecord | null>;
  list(query: RecordQuery): Promise<readonly StoredRecord[]>;
  /** How many bytes the bodies have that the same list would have. */
  sizes(query: RecordQuery): Promise<readonly number[]>;
  /**
   * The place of the record so many further on, whatever the list is filtered by besides what an index leads to (what it
   * is sorted by, and of everybody's its state): what is looked through on the way to it. Null when there are fewer.
   */
  placeAfter(query: RecordQuery, count: number): Promise<Place | null>;
  /** Whether a collection still has records last changed at that time or before, which a list has to pass over. */
  hasExpired(collection: string, changedBefore: number): Promise<boolean>;
  /** Of one owner, by collection. */
  usage(owner: string): Promise<ReadonlyMap<string, Usage>>;
  /** Of one owner, in the order of collection, time of creation and id. */
  ofOwner(owner: string, after: StoredRecord | null, limit: number): Promise<readonly StoredRecord[]>;
  /** Of one collection, in the order of ids. */
  ofCollection(collection: string, afterId: string, limit: number): Promise<readonly StoredRecord[]>;
  /** How many records there are of each collection and state; a state is null where the collection has none. */
  counts(): Promise<
    readonly { readonly collection: string; readonly state: string | null; readonly count: number }[]
  >;
  /** Deletes up to `limit` records of a collection last changed at that time or before; answers with their number. */
  expire(
    collection: string,
    changedBefore: number,
    limit: number,
    /** What the log is to tell of one that goes. */
    eventOf: (record: StoredRecord) => NewEvent | null,
  ): Promise<number>;
  /** Forgets idempotency keys that expired; answers with their number. */
  expireIdempotencyKeys(now: number): Promise<number>;
  /** Who wrote most records, most first. */
  top(
    limit: number,
  ): Promise<readonly { readonly owner: string; readonly records: number; readonly bytes: number }[]>;
  /** Forgets what erased callers had spent of budgets whose windows have ended; answers with the number of lines. */
  expireSpentBudgets(now: number): Promise<number>;
  /** Forgets up to `limit` proofs that expired at that time or before; answers with their number. */
  expireProofs(expiredAt: number, limit: number): Promise<number>;
  /**
   * Everything about a caller, itself included and all that the log tells of its records, in one transaction; null when
   * there was nothing at all. All that may stay is this event, which tells of it, and what it had spent, when `budgets` are given.
   */
  erase(
    owner: string,
    audit: AuditEntry | null,
    event: NewEvent,
    budgets?: ErasedBudgets,
    /** With which it was asked for: where it was used before, nobody is erased (`proof_replayed`). */
    proof?: UsedProof | null,
  ): Promise<Erased | null>;
  /** The same for an erasure that was noted already, and of which a backup knew nothing. */
  eraseAgain(owner: string, audit: AuditEntry, event: NewEvent, erasure: Erasure): Promise<Erased | null>;
  /** Whether erased callers may have left copies between the lines of the database's files. */
  isScrubDue(): Promise<boolean>;
  /**
   * Removes them; nothing to do when nobody was erased since the last time. Takes as long as the database is large
   * (SQLite: 7 to 20 ms for each megabyte), and writes wait meanwhile: `quickly` leaves a large one as it is.
   */
  scrub(extent?: 'quickly' | 'whatever it takes'): Promise<void>;
}
