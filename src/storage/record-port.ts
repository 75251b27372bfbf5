import type { UsedProof } from '../base/caller.ts';
import type { AuditEntry, Consumer, Erasure } from './entities.ts';
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

/** What a batch of writes names: all of it is read at once, and nobody else changes it until the batch is done. */
export interface BatchKeys {
  /** `former` is asked for only of those that are not registered. */
  readonly consumers: readonly { readonly id: string; former(): Uint8Array }[];
  readonly usage: readonly OwnerInCollection[];
  readonly records: readonly RecordName[];
  readonly idempotencyKeys: readonly IdempotencyKeyName[];
  /** The digests of proofs that operations came with, and of ids that callers chose. */
  readonly proofs: readonly Uint8Array[];
  /** Users registered since then are counted, no further than so many; null: nobody asks. */
  readonly newcomers: { readonly since: number; readonly atMost: number } | null;
}

export interface OwnerInCollection {
  readonly owner: string;
  readonly collection: string;
}

export interface RecordName {
  readonly collection: string;
  readonly id: string;
}

export interface IdempotencyKeyName extends OwnerInCollection {
  readonly keyDigest: Uint8Array;
}

export interface StoredIdempotencyKey extends IdempotencyKeyName {
  readonly requestDigest: Uint8Array;
  readonly recordId: string;
  readonly expiresAt: number;
}

/** What somebody who was erased had spent of budgets whose windows still run. */
export interface SpentBudget {
  readonly owner: string;
  readonly former: Uint8Array;
  readonly collection: string;
  readonly usage: Omit<Usage, 'records'>;
  readonly endsAt: number;
}

/** What is there of what a batch names. */
export interface Loaded {
  readonly consumers: readonly Consumer[];
  /** Of consumers that are not registered. */
  readonly spentBudgets: readonly SpentBudget[];
  readonly usage: readonly (Usage & OwnerInCollection)[];
  /** Those that the idempotency keys lead to as well. */
  readonly records: readonly StoredRecord[];
  readonly idempotencyKeys: readonly StoredIdempotencyKey[];
  /** Those of the named digests that were used before, in any process. */
  readonly proofs: readonly Uint8Array[];
  readonly newcomers: number;
}

/** What a batch comes to: no row twice. */
export interface BatchChanges {
  readonly newConsumers: readonly Consumer[];
  /** Former names of whom is back. */
  readonly takenUpBudgets: readonly Uint8Array[];
  readonly newRecords: readonly StoredRecord[];
  readonly changedRecords: readonly StoredRecord[];
  readonly removedRecords: readonly RecordName[];
  readonly newUsage: readonly (Usage & OwnerInCollection)[];
  /** `moved`: by how much the number of records changes, since others may change it, too. */
  readonly changedUsage: readonly (Usage & OwnerInCollection & { readonly moved: number })[];
  /** Of owners whose budgets nobody touched. */
  readonly movedUsage: readonly (OwnerInCollection & { readonly moved: number })[];
  readonly idempotencyKeys: readonly StoredIdempotencyKey[];
  /** That are used from now on. */
  readonly proofs: readonly UsedProof[];
  /** In the order in which they happened: every one of them, also where several are about one record. */
  readonly events: readonly NewEvent[];
}

/** What became of one operation of a batch. */
export type Outcome = { readonly done: unknown } | { readonly error: unknown };

/** The rules by which batches are decided. Storage knows nothing of what an operation is. */
export interface BatchRules {
  keysOf(operations: readonly unknown[]): BatchKeys;
  decide(
    operations: readonly unknown[],
    loaded: Loaded,
  ): { readonly changes: BatchChanges; readonly outcomes: readonly Outcome[] };
}

/** Where the rules come from: a module with `createBatchRules(data)`, which may be async. They run where the database is written. */
export interface BatchRulesSource {
  readonly module: string;
  readonly data: unknown;
}

export interface BatchStore {
  /**
   * Loads, decides and applies a batch in one transaction, durable when this resolves. Rejects when nothing was done, or
   * nobody knows whether it was (`storage_unavailable`).
   */
  run(operations: readonly unknown[]): Promise<readonly Outcome[]>;
}
