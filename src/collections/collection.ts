import type { EventRules } from '../events/catalogue.ts';
import type { Schema } from '../openapi/openapi-types.ts';
import type { IndexedField } from '../storage/port.ts';

export type { Schema };

export interface Collection {
  readonly name: string;
  readonly title: string;
  readonly description: string | null;
  /** The schema of the fields; objects are closed unless declared open. */
  readonly schema: Schema;
  readonly index: readonly IndexedField[];
  readonly machine: StateMachine | null;
  readonly access: CollectionAccess;
  /** True if records show callers their roles: the declaration has more roles than `owner` or `everyone`. */
  readonly isShared: boolean;
  /** The declared roles, by name. */
  readonly roles: Readonly<Record<string, RoleRule>>;
  /** Who may hand ownership over, and the role that the former owner keeps; null: no one can. */
  readonly handover: Handover | null;
  /** Whether records show people, by alias. */
  readonly aliases: boolean;
  /** The parent collection; null: none. */
  readonly parent: ParentRule | null;
  /** The collections whose parent is this one. */
  readonly children: readonly ChildRule[];
  readonly unique: readonly UniqueRule[];
  /** The fields that lists are searched in. */
  readonly search: readonly string[];
  /** Whether the service stores the history of records. */
  readonly history: boolean;
  readonly concurrency: 'optional' | 'required';
  readonly limits: CollectionLimits;
  /** Null: no events. */
  readonly events: EventRules | null;
  readonly deprecated: Deprecation | null;
  readonly checkFields: CheckFields;
}

/** The members that the service sets. Requests cannot. */
export const ownMembers: ReadonlySet<string> = new Set([
  'id',
  'state',
  'actions',
  'created_at',
  'updated_at',
]);

/** Further members that the service sets: in shared collections, and in parents. */
export function serviceMembers(
  collection: Pick<Collection, 'isShared' | 'aliases' | 'children'>,
): ReadonlySet<string> {
  const { isShared, aliases } = collection;
  const further = [
    ...(isShared ? ['roles'] : []),
    ...(isShared && aliases ? ['owner', 'people'] : []),
    ...(showsCounts(collection) ? ['counts'] : []),
  ];
  return further.length === 0 ? ownMembers : ownMembers.union(new Set(further));
}

/** Whether records show the number of records under them. */
export function showsCounts({ children }: Pick<Collection, 'children'>): boolean {
  return children.some(({ parent }) => parent.counts.length > 0);
}

export const longestTitle = 100;
export const longestDescription = 2000;

export interface StateMachine {
  readonly initial: string;
  /** By state, then by action. */
  readonly states: ReadonlyMap<string, ReadonlyMap<string, Transition>>;
  readonly actions: readonly string[];
}

export interface Transition {
  readonly to: string;
  /** Roles. */
  readonly by: readonly string[];
  /** The fields that its input sets, and whether each may be missing. */
  readonly sets: readonly { readonly name: string; readonly isOptional: boolean }[];
  readonly clears: readonly string[];
  /** The role that it gives to the caller who takes it, or to the chosen person. */
  readonly grants: string | null;
  /** The person is chosen among the holders of this role. */
  readonly chosenFrom: string | null;
  /** The roles that it revokes from their holders. */
  readonly revokes: readonly string[];
  readonly whileParentAccepts: boolean;
}

export interface ParentRule {
  /** The field with the id of the parent. The service adds it to the schema. */
  readonly field: string;
  readonly collection: string;
  /** When records can be created under a parent: in these states (null: in all), and before the time in a field of it. */
  readonly accepts: { readonly states: readonly string[] | null; readonly before: string | null };
  readonly ownedBy: 'creator' | 'parent';
  readonly onDelete: 'restrict' | 'cascade' | 'keep';
  /** The limit of records under one parent; null: none. */
  readonly max: number | null;
  readonly capacity: Capacity | null;
  /** The states whose records a parent counts. */
  readonly counts: readonly CountedState[];
}

/** A collection whose records are under those of another. */
export interface ChildRule {
  readonly name: string;
  readonly parent: ParentRule;
}

/** Null where the collection has no states. */
export type CountedState = string | null;

/** A limit of records under one parent in some states. */
export interface Capacity {
  readonly states: readonly string[];
  /** A number, or the name of a field of the parent. */
  readonly most: number | string;
  /** The state of a record without a place; null: it is refused. */
  readonly overflow: string | null;
}

/** No two records have the same values. */
export interface UniqueRule {
  /** `owner`, `parent`, or names of fields. */
  readonly fields: readonly string[];
  /** Only records in these states count; null: all. */
  readonly states: readonly string[] | null;
}

/** The source of a role: an invitation, an action, a scope of the token, or the parent. */
export type RoleRule =
  | { readonly kind: 'invited'; readonly invitedBy: readonly string[]; readonly max: number }
  | { readonly kind: 'granted'; readonly maxPerUser: number }
  | { readonly kind: 'scope'; readonly scope: string }
  | { readonly kind: 'parent'; readonly parentRoles: readonly string[] };

export interface Handover {
  readonly invitedBy: readonly string[];
  readonly previousOwner: string | null;
}

/** The states in which each role may do something. The transitions define who may act. */
export type RoleStates = Readonly<Record<string, 'all' | readonly string[]>>;

export interface CollectionAccess {
  readonly create: readonly string[];
  readonly read: RoleStates;
  readonly update: RoleStates;
  readonly delete: RoleStates;
  readonly clients: 'none' | 'own' | 'any';
  readonly scopes: { readonly read: string | null; readonly write: string | null };
}

export interface Rate {
  readonly count: number;
  readonly windowMs: number;
}

export interface CollectionLimits {
  readonly perUser: number;
  /** The largest size of the fields in JSON. */
  readonly bytes: number;
  readonly writes: Rate;
  /** For consumers registered less than `forMs` ago. */
  readonly newcomer: (Rate & { readonly forMs: number }) | null;
  /** The time after the last change; null is never. */
  readonly expireMs: number | null;
  /** Records in which one person has a role by invitation. */
  readonly memberships: number;
}

export interface Deprecation {
  readonly sinceMs: number;
  readonly sunsetMs: number | null;
  readonly link: string | null;
}

export interface FieldError {
  /** A JSON pointer (RFC 6901) into the fields. */
  readonly pointer: string;
  readonly message: string;
}

/** At most one mistake for each field; an empty list means valid. */
export type CheckFields = (fields: Readonly<Record<string, unknown>>) => readonly FieldError[];

/** The same for an id that is malformed, unknown, or of a record that the caller cannot read. */
export function parentError({ field, collection }: ParentRule): FieldError {
  return {
    pointer: `/${field}`,
    message: `must be the id of a record in ${collection} that the caller can read`,
  };
}
