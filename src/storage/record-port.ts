import type { UsedProof } from '../base/caller.ts';
import type { NowOrLater } from '../base/now-or-later.ts';
import type { AuditEntry, Consumer, Erasure } from './entities.ts';
import type { NewEvent } from './event-port.ts';

export interface StoredRecord {
  readonly collection: string;
  readonly id: string;
  /** A pseudonym. */
  readonly owner: string;
  readonly state: string | null;
  /** Unique to each change. */
  readonly revision: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly body: string;
}

/** A caller's role in a record, by invitation or action. */
export interface RecordMember {
  readonly role: string;
  /** A pseudonym. */
  readonly member: string;
}

export interface StoredMember extends RecordMember {
  readonly collection: string;
  readonly recordId: string;
  readonly alias: Uint8Array;
  readonly since: number;
  /** The order of lists, without a look at the record. */
  readonly recordCreatedAt: number;
}

/** A code that lets callers take a role. */
export interface StoredInvitation {
  /** Keyed; the code itself is not kept. */
  readonly digest: Uint8Array;
  readonly id: string;
  readonly collection: string;
  readonly recordId: string;
  readonly role: string;
  readonly madeBy: string;
  readonly usesLeft: number;
  readonly expiresAt: number;
  readonly createdAt: number;
}

/** Of which members a record is read: the caller with any of its roles, and the holders of some roles. */
export interface MembersWanted {
  readonly member: string;
  readonly roles: readonly string[];
  readonly rolesOfAll: readonly string[];
}

export interface RecordWithMembers extends StoredRecord {
  /** Missing where they were not asked for. */
  readonly members?: readonly RecordMember[];
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
  /** Whether callers list records of others (default: true). */
  readonly listedByOthers?: boolean;
  /** Sets of states in which some callers list records of others. */
  readonly listedInStates?: readonly (readonly string[])[];
  /** Default: true. */
  readonly expires?: boolean;
  /** The largest body (default: small). */
  readonly bytes?: number;
}

export type Operator = 'eq' | 'gt' | 'gte' | 'lt' | 'lte';
/** Booleans are 0 and 1. */
export type FieldValue = string | number;

export interface Place {
  readonly value: FieldValue;
  readonly id: string;
}

export interface MemberOf {
  readonly member: string;
  /** The states in which each role counts; null: all. */
  readonly roles: readonly { readonly role: string; readonly states: readonly string[] | null }[];
}

export interface RecordQuery {
  readonly collection: string;
  readonly owner: string | null;
  readonly state: string | null;
  readonly conditions: readonly {
    readonly field: IndexedField | 'created_at';
    readonly operator: Operator;
    readonly value: FieldValue;
  }[];
  /** Ties are sorted by id, in the same direction. */
  readonly sort: { readonly field: IndexedField | 'created_at'; readonly descending: boolean };
  readonly after: Place | null;
  /** The last place (default: the end). */
  readonly until?: Place | null;
  readonly limit: number;
  /** Records last changed then or before have expired; null: none. */
  readonly expiredAt: number | null;
  /** Of the owner, or of everybody: only records in one of these states; missing: in any. */
  readonly states?: readonly string[] | undefined;
  /** Records in which this caller has a role, by invitation or action; with `owner` its own as well. */
  readonly memberOf?: MemberOf | undefined;
  /** Missing: records are read without members. */
  readonly members?: MembersWanted | undefined;
}

/** How much of its limits an owner has used in one collection. Budgets count from the beginning of their window. */
export interface Usage {
  readonly records: number;
  readonly writes: number;
  readonly writesSince: number;
  readonly newcomerWrites: number;
  readonly newcomerSince: number;
}

export interface Erased {
  readonly records: Readonly<Record<string, number>>;
  readonly idempotencyKeys: number;
  /** How long spent budgets are kept; null when none are. */
  readonly budgetsKeptUntil: number | null;
}

/** Budgets that outlive an erased caller, so that erasing does not reset them. */
export interface ErasedBudgets {
  /** A keyed digest of the pseudonym. */
  readonly former: Uint8Array;
  /** The end of the window; null when it is over. */
  endOf(collection: string, usage: Usage): number | null;
}

export interface RecordStore {
  /** Makes the indexes that these collections need and drops those that none needs any more. */
  prepare(collections: readonly DeclaredIndexes[]): Promise<void>;
  find(collection: string, id: string, members?: MembersWanted): NowOrLater<RecordWithMembers | null>;
  list(query: RecordQuery): Promise<readonly RecordWithMembers[]>;
  /** The members of a record in the order of alias and role. */
  members(
    collection: string,
    id: string,
    after: { readonly alias: Uint8Array; readonly role: string } | null,
    limit: number,
  ): Promise<readonly StoredMember[]>;
  /** The roles of a caller in all records, in the order of collections and records. */
  membershipsOf(member: string, after: StoredMember | null, limit: number): Promise<readonly StoredMember[]>;
  /** Open invitations of a record, oldest first. */
  invitations(collection: string, id: string, now: number): Promise<readonly StoredInvitation[]>;
  /** Open invitations that a caller has made, oldest first. */
  invitationsBy(maker: string, now: number): Promise<readonly StoredInvitation[]>;
  /** Deletes expired invitations; returns their number. */
  expireInvitations(now: number): Promise<number>;
  sizes(query: RecordQuery): Promise<readonly number[]>;
  /** The place `count` records further on, by the index of the sort order alone. Null when there are fewer. */
  placeAfter(query: RecordQuery, count: number): Promise<Place | null>;
  /** Whether expired records are left, which a list has to skip. */
  hasExpired(collection: string, changedBefore: number): Promise<boolean>;
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
    eventOf: (record: StoredRecord) => NewEvent | null,
  ): Promise<number>;
  expireIdempotencyKeys(now: number): Promise<number>;
  top(
    limit: number,
  ): Promise<readonly { readonly owner: string; readonly records: number; readonly bytes: number }[]>;
  /** Deletes budgets whose windows have ended; returns their number. */
  expireSpentBudgets(now: number): Promise<number>;
  /** Deletes up to `limit` expired proofs; returns their number. */
  expireProofs(expiredAt: number, limit: number): Promise<number>;
  /** Deletes everything about a caller, its events too, in one transaction; null when there was nothing. */
  erase(
    owner: string,
    audit: AuditEntry | null,
    event: NewEvent,
    budgets?: ErasedBudgets,
    /** A replayed proof erases nothing (`proof_replayed`). */
    proof?: UsedProof | null,
  ): Promise<Erased | null>;
  /** Repeats an erasure after a restore. */
  eraseAgain(owner: string, audit: AuditEntry, event: NewEvent, erasure: Erasure): Promise<Erased | null>;
  /** Whether the file may still hold copies of erased rows. */
  isScrubDue(): Promise<boolean>;
  /** Removes them if any are left. Writes wait meanwhile (SQLite: 7 to 20 ms a megabyte); `quickly` skips a large file. */
  scrub(extent?: 'quickly' | 'whatever it takes'): Promise<void>;
}

/** The rows that a batch of writes needs; they are locked until the batch is done. */
export interface BatchKeys {
  /** `former` is called only for callers that are not registered. */
  readonly consumers: readonly { readonly id: string; former(): Uint8Array }[];
  readonly usage: readonly OwnerInCollection[];
  readonly records: readonly RecordName[];
  readonly idempotencyKeys: readonly IdempotencyKeyName[];
  /** Records of which these members are needed; `alias`: of one more. */
  readonly members: readonly (RecordName & MembersWanted & { readonly alias: Uint8Array | null })[];
  /** Records of which the members are counted by role. */
  readonly memberCounts: readonly RecordName[];
  /** Callers whose roles in a collection are counted. */
  readonly memberships: readonly OwnerInCollection[];
  /** Invitations. What each leads to is loaded, too: the record, the roles of this caller in it, and the counts. */
  readonly invitations: readonly { readonly digest: Uint8Array; readonly member: string }[];
  /** By collection, the roles that members can have. */
  readonly memberRoles: Readonly<Record<string, readonly string[]>>;
  /** The digests of proofs that operations came with, and of ids that callers chose. */
  readonly proofs: readonly Uint8Array[];
  /** Counts users registered since then, up to a limit. */
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

/** What an erased caller had spent of budgets whose windows still run. */
export interface SpentBudget {
  readonly owner: string;
  readonly former: Uint8Array;
  readonly collection: string;
  readonly usage: Omit<Usage, 'records'>;
  readonly endsAt: number;
}

export interface Loaded {
  readonly consumers: readonly Consumer[];
  readonly spentBudgets: readonly SpentBudget[];
  readonly usage: readonly (Usage & OwnerInCollection)[];
  /** Also those that the idempotency keys lead to. */
  readonly records: readonly StoredRecord[];
  readonly idempotencyKeys: readonly StoredIdempotencyKey[];
  readonly members: readonly StoredMember[];
  readonly memberCounts: readonly (RecordName & { readonly role: string; readonly count: number })[];
  /** In how many records each caller has a role, by role. */
  readonly memberships: readonly (OwnerInCollection & { readonly role: string; readonly count: number })[];
  readonly invitations: readonly StoredInvitation[];
  /** Those of the named digests that were used before, in any process. */
  readonly proofs: readonly Uint8Array[];
  readonly newcomers: number;
}

/** All invitations of a record end, or those that one person made. */
export interface EndedInvitations extends RecordName {
  readonly madeBy: string | null;
}

/** The changes of a batch: no row twice. */
export interface BatchChanges {
  readonly newConsumers: readonly Consumer[];
  /** Of erased callers that are back. */
  readonly takenUpBudgets: readonly Uint8Array[];
  readonly newRecords: readonly StoredRecord[];
  readonly changedRecords: readonly StoredRecord[];
  readonly removedRecords: readonly RecordName[];
  readonly newUsage: readonly (Usage & OwnerInCollection)[];
  /** `moved`: the change in the number of records. */
  readonly changedUsage: readonly (Usage & OwnerInCollection & { readonly moved: number })[];
  /** Usage whose budgets stay the same. */
  readonly movedUsage: readonly (OwnerInCollection & { readonly moved: number })[];
  readonly idempotencyKeys: readonly StoredIdempotencyKey[];
  readonly newMembers: readonly StoredMember[];
  readonly removedMembers: readonly StoredMember[];
  /** New, or with another number of uses left; without any left they are deleted. */
  readonly invitations: readonly StoredInvitation[];
  readonly endedInvitations: readonly EndedInvitations[];
  readonly proofs: readonly UsedProof[];
  /** All of them, in order. */
  readonly events: readonly NewEvent[];
}

export type Outcome = { readonly done: unknown } | { readonly error: unknown };

/** The rules by which batches are decided. Storage knows nothing of what an operation is. */
export interface BatchRules {
  keysOf(operations: readonly unknown[]): BatchKeys;
  decide(
    operations: readonly unknown[],
    loaded: Loaded,
  ): { readonly changes: BatchChanges; readonly outcomes: readonly Outcome[] };
}

/** A module with `createBatchRules(data)`, which is loaded where the database is written. */
export interface BatchRulesSource {
  readonly module: string;
  readonly data: unknown;
}

export interface BatchStore {
  /** Loads, decides and applies a batch in one durable transaction. Rejects when it failed or its outcome is unknown. */
  run(operations: readonly unknown[]): Promise<readonly Outcome[]>;
}
