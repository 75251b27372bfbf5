import type { UsedProof } from '../base/caller.ts';
import type { Consumer } from './entities.ts';
import type { NewEvent } from './event-port.ts';
import type { StoredRecord, Usage } from './record-port.ts';

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
