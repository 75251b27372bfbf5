import type { UsedProof } from '../../base/caller.ts';
import type { ErrorCode, RefusalOptions } from '../../base/errors.ts';
import type { Collection } from '../../collections/collection.ts';
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

/** Writes per transaction. With more, the first would wait too long for the last. */
export const maxInBatch = 256;
/** Operations in a batch of a caller. */
export const maxParts = 50;
/** Where its Idempotency-Key is kept: no collection can have this name. */
export const batchName = 'batch';

/** One write as plain data that can cross threads. It contains its random values, so that deciding is a pure function. */
export interface Operation {
  readonly caller: CallerIdentity;
  readonly now: number;
  readonly proof: UsedProof | null;
  readonly change: Change;
}

export type Change =
  | { readonly kind: 'register' }
  /** A write that was refused before the queue: it only uses up its proof. */
  | { readonly kind: 'refused' }
  | Acceptance
  | Fill
  | CallerBatch
  | RecordChange;

/** Records that wait under this parent take the free places. */
export interface Fill {
  readonly kind: 'fill';
  readonly child: string;
  readonly parent: RecordName;
  readonly revision: string;
}

/** Several changes of one caller: all of them are made, in order, or none. */
export interface CallerBatch {
  readonly kind: 'batch';
  readonly parts: readonly BatchPart[];
  readonly key: IdempotencyKey | null;
  /** The part after these was refused before it came here: only what refuses an earlier one is wanted. */
  readonly isCut: boolean;
}

/** The roles that a token gives differ by collection: each part has the caller as its collection admits it. */
export interface BatchPart {
  readonly caller: CallerIdentity;
  readonly change: RecordChange;
}

/** An invitation is accepted: its digest leads to the record. */
export interface Acceptance {
  readonly kind: 'accept';
  readonly digest: Uint8Array;
  readonly revision: string;
  /** The roles that its token gives it, by collection that admits the caller. */
  readonly admitted: ScopeRoles;
}

export type RecordChange = {
  readonly collection: string;
  readonly id: string;
  readonly revision: string;
} & (
  | ({ readonly kind: 'create'; readonly key: IdempotencyKey | null } & NewRecord)
  | ({ readonly kind: 'create_under' } & NewRecord)
  | (ChangeOfExisting & { readonly expected: Tags | null })
);

export type Of<Kind extends RecordChange['kind']> = Extract<RecordChange, { kind: Kind }>;

/** `parentId`: as in the body; null if the collection has no parent. */
interface NewRecord {
  readonly body: string;
  readonly parentId: string | null;
}

type ChangeOfExisting =
  | { readonly kind: 'replace'; readonly body: string }
  | { readonly kind: 'patch'; readonly patch: Fields }
  /** `chosen`: the alias of the person who gets a role. */
  | { readonly kind: 'act'; readonly action: string; readonly input?: Fields; readonly chosen?: Uint8Array }
  | { readonly kind: 'remove' }
  /** `open`: the number of open codes of the record. */
  | { readonly kind: 'invite'; readonly invitation: Invitation; readonly open: number }
  | { readonly kind: 'end_invitation'; readonly invitation: string; readonly digest: Uint8Array | null }
  | { readonly kind: 'change_role'; readonly alias: Uint8Array; readonly role: string }
  /** Null: the caller leaves. */
  | { readonly kind: 'remove_member'; readonly alias: Uint8Array | null };

export type Invitation = Pick<StoredInvitation, 'digest' | 'id' | 'role' | 'usesLeft' | 'expiresAt'>;

/** Digests only: neither the key nor the request is stored. */
export interface IdempotencyKey {
  readonly keyDigest: Uint8Array;
  readonly requestDigest: Uint8Array;
}

export interface Done {
  readonly consumer: Consumer;
  readonly result: WriteResult | null;
  /** Of a batch. */
  readonly batch?: BatchResult;
}

/** `repeated`: the ids of the records that an earlier batch with the same Idempotency-Key has made, in order. */
export type BatchResult =
  | { readonly results: readonly WriteResult[] }
  | { readonly repeated: readonly string[] };

export interface WriteResult {
  /** `repeated`: an earlier request with the same Idempotency-Key has created the record. */
  readonly kind: 'created' | 'repeated' | 'changed' | 'removed' | 'invited' | 'joined';
  /** The record after the write; for `removed` before it. */
  readonly record: StoredRecord;
  /** Its members and its parent after the write. */
  readonly context: RecordContext;
  /** The role of a caller who has joined. */
  readonly role?: string;
  /** The write budget of the caller after the write; null if none was charged. */
  readonly budget: Budget | null;
}

/** Details of a refusal: requests/write turns them into headers and members. */
export interface RefusalFacts {
  readonly budget?: Budget;
  readonly current?: StoredRecord;
  readonly context?: RecordContext;
}

/** Which part of a batch was refused, and how; null: one after those that came here. */
export interface RefusedPart {
  readonly index: number;
  readonly refusal: { readonly code: ErrorCode; readonly options: RefusalOptions } | null;
}

/** The writes that an operation consists of: a batch has several, each of which is decided as if it came alone. */
export function partsOf(operation: Operation): readonly Operation[] {
  const { change, now } = operation;
  if (change.kind !== 'batch') return [operation];
  return change.parts.map((part) => ({ ...part, now, proof: null }));
}

/** How many writes it counts for, where writes are bounded in number. */
export function weightOf({ change }: Operation): number {
  return change.kind === 'batch' ? Math.max(change.parts.length, 1) : 1;
}

export function isOfRecord(change: Change): change is RecordChange {
  return 'collection' in change;
}

export type Creation = Of<'create' | 'create_under'>;

/** A new record of this caller, in the initial state: what the parent changes in that is not known here. */
export function newRecord(
  { id, parentId, revision, body }: Creation,
  { name, machine }: Collection,
  owner: string,
  now: number,
): StoredRecord {
  const state = machine?.initial ?? null;
  return { collection: name, id, owner, parentId, state, revision, createdAt: now, updatedAt: now, body };
}
