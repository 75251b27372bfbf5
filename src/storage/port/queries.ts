import type { FieldValue, IndexedField, RecordMember, StoredRecord, UniqueValues } from '../batch/tables.ts';

/** What is read of records, and which indexes that needs. */

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

/** The fields by which records of a collection are listed. */
export interface DeclaredIndexes {
  readonly name: string;
  readonly index: readonly IndexedField[];
  /** Whether callers list records of others (default: true). */
  readonly listedByOthers?: boolean;
  /** Sets of states in which some callers list records of others. */
  readonly listedInStates?: readonly (readonly string[])[];
  /** Whether the records have parents (default: false). */
  readonly hasParent?: boolean;
  readonly unique?: readonly Pick<UniqueValues, 'columns' | 'states'>[];
  /** Default: true. */
  readonly expires?: boolean;
  /** The largest body (default: small). */
  readonly bytes?: number;
}

export type Operator = 'eq' | 'gt' | 'gte' | 'lt' | 'lte';

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
