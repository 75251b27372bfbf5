import type { UsedProof } from '../base/caller.ts';
import type { NowOrLater } from '../base/handler.ts';
import type { Begin } from '../base/progress.ts';
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
  /** The sort order of lists, without reading the record. */
  readonly recordCreatedAt: number;
}

/** An entry in the history of a record. It names a role and no person. */
export interface HistoryEntry {
  readonly at: number;
  /** `create`, `update`, an action, or `moved_up`. */
  readonly action: string;
  readonly from: string | null;
  readonly to: string | null;
  /** The role that allowed it; null: the service moved the record. */
  readonly role: string | null;
}

export interface NewHistoryEntry extends HistoryEntry {
  readonly collection: string;
  readonly recordId: string;
}

export interface StoredHistoryEntry extends HistoryEntry {
  readonly recordId: string;
  /** Counts from 1 in each record. */
  readonly n: number;
}

/** A code that lets callers take a role. */
export interface StoredInvitation {
  /** A keyed digest; the code itself is not stored. */
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

/** The members to read with a record: the caller with any of its roles, and the holders of some roles. */
export interface MembersWanted {
  readonly member: string;
  readonly roles: readonly string[];
  readonly rolesOfAll: readonly string[];
}

export interface RecordWithMembers extends StoredRecord {
  /** Missing if they were not requested. */
  readonly members?: readonly RecordMember[];
}

/** The data that decides about access to a record, besides the record itself. */
export interface RecordContext {
  /** The caller, with its roles by invitation or action, and the holders of roles by action. */
  readonly members: readonly RecordMember[];
  /** The parent record; null: it is gone. Missing: the collection has no parent. */
  readonly parent?: RecordInContext | null;
}

export interface RecordInContext extends RecordContext {
  readonly record: StoredRecord;
}

/** A field of the body that records can be filtered and sorted by. */
export interface IndexedField {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'boolean';
}

/** The fields by which records of a collection are listed. */
export interface DeclaredIndexes {
  readonly name: string;
  readonly index: readonly IndexedField[];
  /** Whether callers list records of others (default: true). */
  readonly listedByOthers?: boolean;
  /** Sets of states in which some callers list records of others. */
  readonly listedInStates?: readonly (readonly string[])[];
  /** The field with the id of the parent. */
  readonly parent?: IndexedField | null;
  readonly unique?: readonly Pick<UniqueValues, 'columns' | 'states'>[];
  /** The state in which records wait for a place under their parent. */
  readonly waiting?: string | null;
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

export interface RecordText extends Place {
  readonly body: string;
}

export interface MemberOf {
  readonly member: string;
  /** The states in which each role counts; null: all. */
  readonly roles: readonly { readonly role: string; readonly states: readonly string[] | null }[];
}

/** The records under one parent. */
export interface UnderParent {
  readonly field: IndexedField;
  readonly id: string;
  /** Null: all records. */
  readonly visible: VisibleUnder | null;
}

/** Records in some states, those of the caller, and those in which it has a role by an action. */
export interface VisibleUnder extends MemberOf {
  readonly states: readonly string[];
  /** The states in which it reads its own records; null: all. */
  readonly ownStates: readonly string[] | null;
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
  /** The last position (default: the end). */
  readonly until?: Place | null;
  readonly limit: number;
  /** Records last changed then or before have expired; null: none. */
  readonly expiredAt: number | null;
  /** Of the owner, or of everyone: only records in one of these states; missing: in any. */
  readonly states?: readonly string[] | undefined;
  /** Records in which this caller has a role, by invitation or action; with `owner` its own as well. */
  readonly memberOf?: MemberOf | undefined;
  readonly under?: UnderParent | undefined;
  /** Missing: records are read without members. */
  readonly members?: MembersWanted | undefined;
}

/** The usage of one owner in one collection. Budgets count from the beginning of their window. */
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

/** What happens to records when their parents are removed or handed over. */
export interface Family extends ParentField {
  readonly isTallied: boolean;
  readonly ownedBy: 'creator' | 'parent';
  readonly onDelete: 'restrict' | 'cascade' | 'keep';
}

export interface MeasuredRecords {
  readonly state: string | null;
  readonly records: number;
  readonly bytes: number;
}

export interface RecordStore {
  /** Creates the indexes that these collections need, drops the others, and stores which collections have which parents. */
  prepare(
    collections: readonly DeclaredIndexes[],
    families?: readonly Family[],
    begin?: Begin,
  ): Promise<void>;
  find(collection: string, id: string, members?: MembersWanted): NowOrLater<RecordWithMembers | null>;
  /** The records with these ids that exist, in no order. */
  findAll(
    collection: string,
    ids: readonly string[],
    members?: MembersWanted,
  ): NowOrLater<readonly RecordWithMembers[]>;
  list(query: RecordQuery): Promise<readonly RecordWithMembers[]>;
  /** The number of records under each of these, by collection and state. */
  tallies(collection: string, ids: readonly string[]): NowOrLater<readonly Tally[]>;
  /** Parents under which records wait in this state. */
  waitingParents(child: string, state: string, after: string, limit: number): Promise<readonly string[]>;
  /** Does up to `limit` records of the work that deleted or handed-over parents have left. True if there may be more. */
  workOnChildren(limit: number, eventOf: (record: StoredRecord) => NewEvent | null): Promise<boolean>;
  /** The number of parents whose records wait for such work. */
  childWork(): Promise<number>;
  /** The tallies that differ from a count of the records, with the correct values. */
  recount(families: readonly Family[]): Promise<readonly Tally[]>;
  /** Sets wrong tallies to a count of the records. */
  repairTallies(families: readonly Family[]): Promise<void>;
  /** The members of a record in the order of alias and role. */
  members(
    collection: string,
    id: string,
    after: { readonly alias: Uint8Array; readonly role: string } | null,
    limit: number,
  ): Promise<readonly StoredMember[]>;
  /** The history of records, each oldest first; of one record in pages that begin after an entry. */
  history(
    collection: string,
    ids: readonly string[],
    page?: { readonly after: number; readonly limit: number },
  ): Promise<readonly StoredHistoryEntry[]>;
  /** The roles of a caller in all records, in the order of collections and records. */
  membershipsOf(member: string, after: StoredMember | null, limit: number): Promise<readonly StoredMember[]>;
  /** Open invitations of a record, oldest first. */
  invitations(collection: string, id: string, now: number): Promise<readonly StoredInvitation[]>;
  /** Open invitations that a caller has made, oldest first. */
  invitationsBy(maker: string, now: number): Promise<readonly StoredInvitation[]>;
  sizes(query: RecordQuery): Promise<readonly number[]>;
  bodies(query: RecordQuery): Promise<readonly RecordText[]>;
  /** The number of records, at most the limit. */
  count(query: RecordQuery): Promise<number>;
  /** The place `count` records further on, read from the index of the sort order alone. Null if there are fewer. */
  placeAfter(query: RecordQuery, count: number): Promise<Place | null>;
  /** True if there are expired records, which a list has to skip. */
  hasExpired(collection: string, changedBefore: number): Promise<boolean>;
  usage(owner: string): Promise<ReadonlyMap<string, Usage>>;
  /** Records of one owner, in the order of collection, time of creation and id. */
  ofOwner(owner: string, after: StoredRecord | null, limit: number): Promise<readonly StoredRecord[]>;
  /** Records of one collection, in the order of ids. */
  ofCollection(collection: string, afterId: string, limit: number): Promise<readonly StoredRecord[]>;
  /** Counts up to `limit` records of a collection, in the order of ids, by state. `lastId` is null at the end. */
  measure(
    collection: string,
    afterId: string,
    limit: number,
  ): Promise<{ readonly lastId: string | null; readonly measured: readonly MeasuredRecords[] }>;
  /** The number of records of each collection and state; a state is null if the collection has none. */
  counts(): Promise<
    readonly { readonly collection: string; readonly state: string | null; readonly count: number }[]
  >;
  /** Deletes up to `limit` records of a collection last changed at that time or before; returns their number. */
  expire(
    collection: string,
    changedBefore: number,
    limit: number,
    eventOf: (record: StoredRecord) => NewEvent | null,
  ): Promise<number>;
  /** Deletes expired idempotency keys and invitations, and budgets whose windows have ended. */
  forgetExpired(now: number): Promise<void>;
  top(
    limit: number,
  ): Promise<readonly { readonly owner: string; readonly records: number; readonly bytes: number }[]>;
  /** Deletes up to `limit` expired proofs; returns their number. */
  expireProofs(expiredAt: number, limit: number): Promise<number>;
  /** Deletes all data about a caller, including its events, in one transaction; null if there was none. */
  erase(
    owner: string,
    audit: AuditEntry | null,
    event: NewEvent,
    budgets?: ErasedBudgets,
    /** A replayed proof erases nothing (`proof_replayed`). */
    proof?: UsedProof | null,
    /** The parents of collections; by default as prepared. */
    families?: readonly Family[],
  ): Promise<Erased | null>;
  /** Repeats an erasure after a restore. */
  eraseAgain(
    owner: string,
    audit: AuditEntry,
    event: NewEvent,
    erasure: Erasure,
    families?: readonly Family[],
  ): Promise<Erased | null>;
  /** What the file may still hold copies of. */
  copiesLeft(): Promise<CopiesLeft>;
  /** Removes such copies. Writes wait meanwhile (SQLite: 7 to 20 ms a megabyte); `quickly` skips a large file. */
  scrub(extent?: 'quickly' | 'whatever it takes'): Promise<void>;
}

/** Copies of deleted records, or of erased callers, too. */
export type CopiesLeft = 'nothing' | 'deletions' | 'erasures';

/** The rows that a batch of writes needs; they are locked until the batch ends. */
export interface BatchKeys {
  /** `former` is called only for callers that are not registered. */
  readonly consumers: readonly { readonly id: string; former(): Uint8Array }[];
  readonly usage: readonly OwnerInCollection[];
  readonly records: readonly RecordName[];
  readonly idempotencyKeys: readonly IdempotencyKeyName[];
  /** Records whose members are needed; `alias`: of one more. */
  readonly members: readonly (RecordName & MembersWanted & { readonly alias: Uint8Array | null })[];
  /** Records whose members are counted by role. */
  readonly memberCounts: readonly RecordName[];
  /** Callers whose roles in a collection are counted. */
  readonly memberships: readonly OwnerInCollection[];
  /** Invitations that are open at a time. What each leads to is loaded, too: the record, the roles of this caller in it, and the counts. */
  readonly invitations: readonly {
    readonly digest: Uint8Array;
    readonly member: string;
    readonly openAt: number;
  }[];
  /** By collection, the roles that members can have. */
  readonly memberRoles: Readonly<Record<string, readonly string[]>>;
  /** Collections whose records have parents. The records above a named one are loaded, and locked before it. */
  readonly parents?: readonly ParentField[];
  readonly tallies?: readonly ChildrenOf[];
  /** Records with the same values. */
  readonly unique?: readonly UniqueValues[];
  /** The records in this state under a parent, those waiting longest first. */
  readonly waiting?: readonly (ChildrenOf & {
    readonly field: string;
    readonly state: string;
    readonly limit: number;
  })[];
  readonly children?: readonly (ChildrenOf & { readonly field: string; readonly limit: number })[];
  /** The digests of the operations' proofs, and of ids that callers chose. */
  readonly proofs: readonly Uint8Array[];
  /** Counts users registered since then, up to a limit. */
  readonly newcomers: { readonly since: number; readonly atMost: number } | null;
}

/** The field of a collection that has the id of the parent. `level`: the number of ancestors. */
export interface ParentField {
  readonly child: string;
  readonly field: string;
  readonly collection: string;
  readonly level: number;
}

/** The records of the collection `child` that are under one record. */
export interface ChildrenOf extends RecordName {
  readonly child: string;
}

/** A unique rule of a collection with the values of one record. */
export interface UniqueValues {
  readonly collection: string;
  /** The index of the rule in the declaration. */
  readonly rule: number;
  /** `owner`, or fields of the body. */
  readonly columns: readonly ('owner' | IndexedField)[];
  readonly values: readonly FieldValue[];
  readonly states: readonly string[] | null;
}

/** How many records of a collection are in a state under one record; '' where there are no states. */
export interface Tally extends ChildrenOf {
  readonly state: string;
  readonly count: number;
}

/** Pending work on the records under a record that was deleted or handed over. */
export interface ChildWork {
  readonly child: string;
  readonly parentId: string;
  readonly what: 'delete' | 'own';
  /** The new owner; null if they are deleted. */
  readonly owner: string | null;
  readonly at: number;
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
  /** The ids that the request has created, separated by spaces. */
  readonly recordIds: string;
  readonly expiresAt: number;
}

/** Budgets that an erased caller had used in windows that still run. */
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
  /** Also the records that the idempotency keys lead to. */
  readonly records: readonly StoredRecord[];
  readonly idempotencyKeys: readonly StoredIdempotencyKey[];
  readonly members: readonly StoredMember[];
  readonly memberCounts: readonly (RecordName & { readonly role: string; readonly count: number })[];
  /** The number of records in which each caller has a role, by role. */
  readonly memberships: readonly (OwnerInCollection & { readonly role: string; readonly count: number })[];
  readonly invitations: readonly StoredInvitation[];
  readonly tallies?: readonly Tally[];
  readonly unique?: readonly {
    readonly collection: string;
    readonly rule: number;
    readonly key: string;
    readonly id: string;
  }[];
  /** Ids, in order. The records are among `records`. */
  readonly waiting?: readonly (ChildrenOf & { readonly ids: readonly string[] })[];
  readonly children?: readonly (ChildrenOf & { readonly ids: readonly string[] })[];
  /** The named digests that any process has used before. */
  readonly proofs: readonly Uint8Array[];
  readonly newcomers: number;
}

/** Ends all invitations of a record, or those of one person. */
export interface EndedInvitations extends RecordName {
  readonly madeBy: string | null;
}

/** The changes of a batch: each row at most once. */
export interface BatchChanges {
  readonly newConsumers: readonly Consumer[];
  /** Budgets of erased callers that have returned. */
  readonly takenUpBudgets: readonly Uint8Array[];
  readonly newRecords: readonly StoredRecord[];
  readonly changedRecords: readonly StoredRecord[];
  readonly removedRecords: readonly RecordName[];
  /**
   * All changes of collections in which a record takes the unique values of another: one after the other, because only that order fits the
   * unique index. Their records are not among the others.
   */
  readonly steps?: readonly { readonly put?: StoredRecord; readonly removed?: RecordName }[];
  readonly newUsage: readonly (Usage & OwnerInCollection)[];
  /** `moved`: the change in the number of records. */
  readonly changedUsage: readonly (Usage & OwnerInCollection & { readonly moved: number })[];
  /** Usage whose budgets stay the same. */
  readonly movedUsage: readonly (OwnerInCollection & { readonly moved: number })[];
  readonly idempotencyKeys: readonly StoredIdempotencyKey[];
  readonly newMembers: readonly StoredMember[];
  readonly removedMembers: readonly StoredMember[];
  /** New invitations, or with another number of uses left; without any left they are deleted. */
  readonly invitations: readonly StoredInvitation[];
  readonly endedInvitations: readonly EndedInvitations[];
  /** `count`: the change. */
  readonly tallies?: readonly Tally[];
  readonly childWork?: readonly ChildWork[];
  /** In order. The records exist after the batch. */
  readonly history?: readonly NewHistoryEntry[];
  readonly proofs: readonly UsedProof[];
  /** All of them, in order. */
  readonly events: readonly NewEvent[];
}

export type Outcome = { readonly done: unknown } | { readonly error: unknown };

/** The rules by which batches are decided. The storage does not know the form of an operation. */
export interface BatchRules {
  keysOf(operations: readonly unknown[]): BatchKeys;
  /** What else has to be loaded, given what was loaded so far; null: nothing. Called with `round` 1, 2, ... until then. */
  furtherKeys?(operations: readonly unknown[], loaded: Loaded, round: number): Partial<BatchKeys> | null;
  decide(
    operations: readonly unknown[],
    loaded: Loaded,
  ): { readonly changes: BatchChanges; readonly outcomes: readonly Outcome[] };
}

/** A module with `createBatchRules(data)`, which is loaded on the thread that writes the database. */
export interface BatchRulesSource {
  readonly module: string;
  readonly data: unknown;
}

export interface BatchStore {
  /** Loads, decides and applies a batch in one durable transaction. Rejects if it failed or its outcome is unknown. */
  run(operations: readonly unknown[]): Promise<readonly Outcome[]>;
}
