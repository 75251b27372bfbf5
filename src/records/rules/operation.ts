import type { UsedProof } from '../../base/caller.ts';
import type { Consumer, StoredRecord } from '../../storage/port.ts';
import type { CallerIdentity } from '../caller-access.ts';
import type { Fields } from '../fields.ts';
import type { Tags } from '../preconditions.ts';
import type { Budget } from './budgets.ts';

/** One write as plain data, which crosses threads. Random values are in it, so that deciding is a pure function. */
export interface Operation {
  readonly caller: CallerIdentity;
  readonly now: number;
  readonly proof: UsedProof | null;
  readonly change: Change;
}

export type Change =
  | { readonly kind: 'register' }
  /** A write that was refused before it came here: it only uses up its proof. */
  | { readonly kind: 'refused' }
  | RecordChange;

export type RecordChange = {
  readonly collection: string;
  readonly id: string;
  readonly revision: string;
} & (
  | { readonly kind: 'create'; readonly body: string; readonly key: IdempotencyKey | null }
  | { readonly kind: 'create_under'; readonly body: string }
  | (ChangeOfExisting & { readonly expected: Tags | null })
);

type ChangeOfExisting =
  | { readonly kind: 'replace'; readonly body: string }
  | { readonly kind: 'patch'; readonly patch: Fields }
  | { readonly kind: 'act'; readonly action: string }
  | { readonly kind: 'remove' };

/** Digests only: neither the key nor the request is kept. */
export interface IdempotencyKey {
  readonly keyDigest: Uint8Array;
  readonly requestDigest: Uint8Array;
}

export interface Done {
  readonly consumer: Consumer;
  readonly result: WriteResult | null;
}

export interface WriteResult {
  /** `repeated`: an earlier request with the same Idempotency-Key has created the record. */
  readonly kind: 'created' | 'repeated' | 'changed' | 'removed';
  /** As it is now; for `removed` as it was. */
  readonly record: StoredRecord;
  /** The write budget of the caller afterwards; null where none was charged. */
  readonly budget: Budget | null;
}

/** What a refusal adds to its code: requests/write makes headers and members of it. */
export interface RefusalFacts {
  readonly budget?: Budget;
  readonly current?: StoredRecord;
}
