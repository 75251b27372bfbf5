import type { BatchChanges, BatchKeys, Loaded } from '../batch/tables.ts';

export type Outcome = { readonly done: unknown } | { readonly error: unknown };

/** The rules by which batches are decided. The storage does not know the form of an operation. */
export interface BatchRules {
  keysOf(operations: readonly unknown[]): BatchKeys;
  /** What else has to be loaded, given what was loaded so far; null: nothing. Called with `round` 1, 2, ... until then. */
  furtherKeys(operations: readonly unknown[], loaded: Loaded, round: number): BatchKeys | null;
  decide(operations: readonly unknown[], loaded: Loaded): Decision;
}

/** `missing`: a rule has read a row that was not asked for. It is loaded, and the batch is decided again. */
export type Decision =
  | { readonly changes: BatchChanges; readonly outcomes: readonly Outcome[] }
  | { readonly missing: BatchKeys };

/** Called with the names of the lookups when rows were missing. */
export type OnReload = (lookups: readonly string[]) => void;

/** A module with `createBatchRules(data)`, which is loaded on the thread that writes the database. */
export interface BatchRulesSource {
  readonly module: string;
  readonly data: unknown;
}

export interface BatchStore {
  /** Loads, decides and applies a batch in one durable transaction. Rejects if it failed or its outcome is unknown. */
  run(operations: readonly unknown[]): Promise<readonly Outcome[]>;
}
