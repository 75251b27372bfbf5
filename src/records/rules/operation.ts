import type { UsedProof } from '../../base/caller.ts';
import type {
  Consumer,
  RecordContext,
  RecordName,
  StoredInvitation,
  StoredRecord,
} from '../../storage/port.ts';
import type { CallerIdentity, ScopeRoles } from '../caller-access.ts';
import type { Fields } from '../fields.ts';
import type { Tags } from '../preconditions.ts';
import type { Budget } from './budgets.ts';

/** Writes in one transaction. With more, the first would wait too long for the last. */
export const mostInBatch = 256;

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
  | Acceptance
  /** Records that wait for a place under this parent take those that are free. */
  | { readonly kind: 'fill'; readonly child: string; readonly parent: RecordName; readonly revision: string }
  | RecordChange;

/** An invitation is accepted: the record is known only once its digest is found. */
export interface Acceptance {
  readonly kind: 'accept';
  readonly digest: Uint8Array;
  readonly revision: string;
  /** By collection that admits the caller: the roles that its token gives it there. */
  readonly admitted: ScopeRoles;
}

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
  /** `chosen`: the alias of the person who gets a role. */
  | { readonly kind: 'act'; readonly action: string; readonly input?: Fields; readonly chosen?: Uint8Array }
  | { readonly kind: 'remove' }
  /** `open`: how many codes the record has. */
  | { readonly kind: 'invite'; readonly invitation: Invitation; readonly open: number }
  | { readonly kind: 'end_invitation'; readonly invitation: string; readonly digest: Uint8Array | null }
  | { readonly kind: 'change_role'; readonly alias: Uint8Array; readonly role: string }
  /** Null: the caller leaves. */
  | { readonly kind: 'remove_member'; readonly alias: Uint8Array | null };

export type Invitation = Pick<StoredInvitation, 'digest' | 'id' | 'role' | 'usesLeft' | 'expiresAt'>;

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
  readonly kind: 'created' | 'repeated' | 'changed' | 'removed' | 'invited' | 'joined';
  /** As it is now; for `removed` as it was. */
  readonly record: StoredRecord;
  /** Who has which role in it, and what it is under; afterwards. */
  readonly context: RecordContext;
  /** The role of a caller who has joined. */
  readonly role?: string;
  /** The write budget of the caller afterwards; null where none was charged. */
  readonly budget: Budget | null;
}

/** What a refusal adds to its code: requests/write makes headers and members of it. */
export interface RefusalFacts {
  readonly budget?: Budget;
  readonly current?: StoredRecord;
  readonly context?: RecordContext;
}
