import type { NewEvent } from '../event-port.ts';
import {
  add,
  added,
  append,
  bytes,
  type Changes,
  counts,
  type Found,
  firstRows,
  insert,
  integer,
  type Keys,
  oneOf,
  only,
  put,
  type RowOf,
  remove,
  rows,
  special,
  specialWrite,
  table,
  text,
  textOrNull,
} from './table.ts';

/** The tables that a batch of writes reads and changes. initial-schema.ts and steps in migrations.ts create them. Owners and members are pseudonyms. */

const consumers = table('consumers', ['id'], {
  id: text,
  kind: oneOf<'user' | 'client'>(),
  state: oneOf<'active' | 'suspended'>(),
  registeredAt: integer,
});

/** Budgets count from the beginning of their window. */
const budgets = { writes: integer, writesSince: integer, newcomerWrites: integer, newcomerSince: integer };

const usage = table('usage', ['owner', 'collection'], {
  owner: text,
  collection: text,
  records: added,
  ...budgets,
});

/** Budgets that an erased caller had used in windows that still run, under a keyed digest of the pseudonym. */
const spentBudgets = table('spent_budgets', ['former', 'collection'], {
  former: bytes,
  collection: text,
  ...budgets,
  endsAt: integer,
});

/** The database computes one more column: the size of the body in bytes. */
const records = table('records', ['collection', 'id'], {
  collection: text,
  id: text,
  owner: text,
  /** Null: the collection has no parent. The parent may be gone. */
  parentId: textOrNull,
  state: textOrNull,
  /** Unique to each change. */
  revision: text,
  createdAt: integer,
  updatedAt: integer,
  body: text,
});

const idempotencyKeys = table('idempotency_keys', ['owner', 'collection', 'keyDigest'], {
  owner: text,
  collection: text,
  keyDigest: bytes,
  requestDigest: bytes,
  /** The ids that the request has created, separated by spaces. */
  recordIds: text,
  expiresAt: integer,
});

/** Callers with a role in a record, by invitation or action. */
const members = table('members', ['collection', 'recordId', 'role', 'member'], {
  collection: text,
  recordId: text,
  role: text,
  member: text,
  alias: bytes,
  since: integer,
  /** The sort order of lists, without reading the record. */
  recordCreatedAt: integer,
});

/** Codes that let callers take a role. */
const invitations = table('invitations', ['digest'], {
  /** A keyed digest; the code itself is not stored. */
  digest: bytes,
  id: text,
  collection: text,
  recordId: text,
  role: text,
  madeBy: text,
  usesLeft: integer,
  expiresAt: integer,
  createdAt: integer,
});

/** How many records of the collection `child` are in a state under one record; '' where there are no states. */
const tallies = table('tallies', ['collection', 'recordId', 'child', 'state'], {
  collection: text,
  recordId: text,
  child: text,
  state: text,
  n: added,
});

/** Pending work on the records under a record that was deleted or handed over. */
const childWork = table('child_work', ['child', 'parentId', 'what'], {
  child: text,
  parentId: text,
  what: oneOf<'delete' | 'own'>(),
  /** Null if they are deleted. */
  newOwner: textOrNull,
  at: integer,
});

/** Entries per record. A write that exceeds it deletes the oldest ones. */
const maxHistory = 1_000;

/** Changes of a record. An entry names a role and no person. */
const recordHistory = table('record_history', ['collection', 'recordId', 'n'], {
  collection: text,
  recordId: text,
  /** Counts from 1 in each record. */
  n: integer,
  at: integer,
  /** `create`, `update`, an action, or `moved_up`. */
  action: text,
  fromState: textOrNull,
  toState: textOrNull,
  /** The role that allowed it; null: the service moved the record. */
  role: textOrNull,
});

/** Used DPoP proofs of writes, and ids of records that callers chose (those never expire). No row identifies a caller. */
const proofs = table('proofs', ['digest'], { digest: bytes, expiresAt: integer });

/** By their names in the database. */
export const tables = {
  consumers,
  usage,
  spent_budgets: spentBudgets,
  records,
  idempotency_keys: idempotencyKeys,
  members,
  invitations,
  tallies,
  child_work: childWork,
  record_history: recordHistory,
  proofs,
};

/** What rules can ask for, in the order in which it is read. What is locked comes first, so that the rest is current. */
export const lookups = {
  /** A first look at what a code leads to, before anything is locked. */
  codes: rows(invitations, ['digest']),
  consumers: rows(consumers, ['id'], { isLocked: true }),
  // Read before the records: a used id was committed with its record, which the next statement then sees.
  proofs: rows(proofs, ['digest']),
  /** With `parents` also all records that these are under, the topmost first. */
  records: special<RecordName, StoredRecord>({ isLocked: true }),
  waiting: firstRows(records, ['collection', 'parentId', 'state'], {
    isLocked: true,
    order: ['createdAt', 'id'],
  }),
  spentBudgets: rows(spentBudgets, ['former']),
  usage: rows(usage, ['owner', 'collection']),
  idempotencyKeys: rows(idempotencyKeys, ['owner', 'collection', 'keyDigest']),
  invitations: rows(invitations, ['digest']),
  members: rows(members, ['collection', 'recordId', 'role', 'member']),
  holders: rows(members, ['collection', 'recordId', 'role']),
  membersByAlias: rows(members, ['collection', 'recordId', 'alias']),
  memberCounts: counts(members, ['collection', 'recordId'], 'role'),
  memberships: counts(members, ['member', 'collection'], 'role'),
  tallies: rows(tallies, ['collection', 'recordId', 'child']),
  unique: special<UniqueValues, UniqueHolder>(),
  children: only(firstRows(records, ['collection', 'parentId']), ['collection', 'parentId', 'id']),
  newcomers: special<NewcomersSince, { readonly count: number }>(),
};

/** What a batch can change, in the order of the statements. Each row is changed at most once. */
export const writes = {
  newConsumers: insert(consumers),
  takenUpBudgets: remove(spentBudgets, ['former']),
  removedRecords: remove(records, ['collection', 'id']),
  newRecords: insert(records),
  changedRecords: put(records),
  steps: specialWrite<Step>(),
  newUsage: insert(usage),
  /** `records` is the change of their number. */
  changedUsage: put(usage),
  /** Of owners whose budgets stay the same. */
  movedUsage: add(usage, ['owner', 'collection', 'records']),
  idempotencyKeys: put(idempotencyKeys),
  removedMembers: remove(members, ['collection', 'recordId', 'role', 'member']),
  newMembers: insert(members),
  closedInvitations: remove(invitations, ['collection', 'recordId']),
  closedInvitationsOf: remove(invitations, ['collection', 'recordId', 'madeBy']),
  usedInvitations: remove(invitations, ['digest']),
  invitations: put(invitations),
  /** `n` is the change. A tally is deleted with its record. */
  tallies: put(tallies, records),
  childWork: put(childWork),
  history: append(recordHistory, { numbered: 'n', kept: maxHistory }),
  proofs: insert(proofs),
  events: specialWrite<NewEvent>(),
};

export type BatchKeys = Keys<typeof lookups> & {
  /** Collections whose records have parents: with these the ancestors of named records are read, too. */
  readonly parents?: readonly ParentOf[];
};
/** `asked`: the keys of all rounds. */
export type Loaded = Found<typeof lookups> & { readonly asked: BatchKeys };
export type BatchChanges = Changes<typeof writes>;

export interface RecordName {
  readonly collection: string;
  readonly id: string;
}

export interface OwnerInCollection {
  readonly owner: string;
  readonly collection: string;
}

/** Records of `child` are under records of `collection`. `level`: the number of ancestors. */
export interface ParentOf {
  readonly child: string;
  readonly collection: string;
  readonly level: number;
}

/** A field of the body that records can be filtered and sorted by. */
export interface IndexedField {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'boolean';
}

/** Booleans are 0 and 1. */
export type FieldValue = string | number;

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

/** `key`: the values in JSON. */
export interface UniqueHolder {
  readonly collection: string;
  readonly rule: number;
  readonly key: string;
  readonly id: string;
}

/** Counts users registered since then, up to a limit. */
export interface NewcomersSince {
  readonly since: number;
  readonly maxCount: number;
}

/**
 * A change in a collection in which a record takes the unique values of another. All changes of the collection are steps: only
 * their order fits the unique index.
 */
export interface Step {
  readonly put?: StoredRecord;
  readonly removed?: RecordName;
}

export type Consumer = RowOf<typeof consumers>;
export type ConsumerKind = Consumer['kind'];
export type ConsumerState = Consumer['state'];
export type UsageRow = RowOf<typeof usage>;
export type Usage = Omit<UsageRow, 'owner' | 'collection'>;
export type StoredRecord = RowOf<typeof records>;
export type StoredIdempotencyKey = RowOf<typeof idempotencyKeys>;
export type IdempotencyKeyName = Pick<StoredIdempotencyKey, 'owner' | 'collection' | 'keyDigest'>;
export type StoredMember = RowOf<typeof members>;
/** A caller's role in a record, by invitation or action. */
export type RecordMember = Pick<StoredMember, 'role' | 'member'>;
export type StoredInvitation = RowOf<typeof invitations>;
export type Tally = RowOf<typeof tallies>;
export type ChildWork = RowOf<typeof childWork>;
export type StoredHistoryEntry = RowOf<typeof recordHistory>;
export type NewHistoryEntry = Omit<StoredHistoryEntry, 'n'>;
