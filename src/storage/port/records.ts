import type { UsedProof } from '../../base/caller.ts';
import type { NowOrLater } from '../../base/handler.ts';
import type { Begin } from '../../base/progress.ts';
import type {
  ParentOf,
  StoredHistoryEntry,
  StoredInvitation,
  StoredMember,
  StoredRecord,
  Tally,
  Usage,
} from '../batch/tables.ts';
import type { AuditEntry } from '../entities.ts';
import type { NewEvent } from '../event-port.ts';
import type { Erasure } from '../tables.ts';
import type {
  DeclaredIndexes,
  MembersWanted,
  Place,
  RecordQuery,
  RecordText,
  RecordWithMembers,
} from './queries.ts';

/** What happens to records when their parents are removed or handed over. */
export interface ParentLink extends ParentOf {
  readonly isTallied: boolean;
  readonly ownedBy: 'creator' | 'parent';
  readonly onDelete: 'restrict' | 'cascade' | 'keep';
}

export interface MeasuredRecords {
  readonly state: string | null;
  readonly records: number;
  readonly bytes: number;
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

/** Copies of deleted records, or of erased callers, too. */
export type CopiesLeft = 'nothing' | 'deletions' | 'erasures';

export interface RecordStore {
  /** Creates the indexes that these collections need, drops the others, and stores which collections have which parents. */
  prepare(
    collections: readonly DeclaredIndexes[],
    links?: readonly ParentLink[],
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
  recount(links: readonly ParentLink[]): Promise<readonly Tally[]>;
  /** Sets wrong tallies to a count of the records. */
  repairTallies(links: readonly ParentLink[]): Promise<void>;
  /** The members of a record in the order of alias and role. */
  members(
    collection: string,
    id: string,
    after: { readonly alias: Uint8Array; readonly role: string } | null,
    limit: number,
  ): Promise<readonly StoredMember[]>;
  /** Entries of the histories of records: record by record in the order of their ids, each oldest first. */
  history(
    collection: string,
    ids: readonly string[],
    after: Pick<StoredHistoryEntry, 'recordId' | 'n'> | null,
    limit: number,
  ): Promise<readonly StoredHistoryEntry[]>;
  /** The roles of a caller in all records, in the order of collections and records. */
  membershipsOf(member: string, after: StoredMember | null, limit: number): Promise<readonly StoredMember[]>;
  /** Open invitations of a record, oldest first. */
  invitations(collection: string, id: string, now: number): Promise<readonly StoredInvitation[]>;
  /** The open invitation of a code, unless its maker is suspended. */
  invitation(digest: Uint8Array, now: number): Promise<StoredInvitation | null>;
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
    links?: readonly ParentLink[],
  ): Promise<Erased | null>;
  /** Repeats an erasure after a restore. */
  eraseAgain(
    owner: string,
    audit: AuditEntry,
    event: NewEvent,
    erasure: Erasure,
    links?: readonly ParentLink[],
  ): Promise<Erased | null>;
  /** What the file may still hold copies of. */
  copiesLeft(): Promise<CopiesLeft>;
  /** Removes such copies. Writes wait meanwhile (SQLite: 7 to 20 ms a megabyte); `quickly` skips a large file. */
  scrub(extent?: 'quickly' | 'whatever it takes'): Promise<void>;
}
