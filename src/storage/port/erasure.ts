import type { Usage } from '../batch/tables.ts';

export interface Erased {
  readonly records: Readonly<Record<string, number>>;
  readonly idempotencyKeys: number;
  /** How long used budgets are stored; null if there are none. */
  readonly budgetsKeptUntil: number | null;
}

/** Budgets that survive an erasure, so that erasing does not reset them. */
export interface ErasedBudgets {
  /** A keyed digest of the pseudonym. */
  readonly former: Uint8Array;
  /** The end of the window; null when it is over. */
  endOf(collection: string, usage: Usage): number | null;
}

/** Copies of deleted records, or of erased callers, too. */
export type CopiesLeft = 'nothing' | 'deletions' | 'erasures';
