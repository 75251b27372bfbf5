import type { EventRules } from '../events/catalogue.ts';
import type { Schema } from '../openapi/openapi-types.ts';
import type { IndexedField } from '../storage/port.ts';
import type {
  DeclarationFile,
  DeclaredAccess,
  DeclaredAction,
  DeclaredParent,
  DeclaredUnique,
} from './declaration-schema.ts';
import type { Loaded } from './declared-names.ts';
import type { CollectionLimits, Rate } from './limits.ts';
import type { Deprecation } from './normalise.ts';
import { ownMembers } from './schema-grammar.ts';

export type { CollectionLimits, Rate, Schema };

/** The keys of a declaration that are the same in the collection. The comments here are about the others. */
type PlainKeys = Omit<Loaded<DeclarationFile>, keyof LoadedKeys | 'states' | 'editable'>;

export interface Collection extends PlainKeys, LoadedKeys {}

/** What the loader makes of the other keys, and adds to them. */
interface LoadedKeys {
  readonly name: string;
  /** The declaration, with defaults filled in and its schema resolved. */
  readonly file: DeclarationFile;
  readonly title: string;
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
  /** The parent collection; null: none. */
  readonly parent: ParentRule | null;
  /** The collections whose parent is this one. */
  readonly children: readonly { readonly name: string; readonly parent: ParentRule }[];
  /** Whether records show the number of records under them. */
  readonly showsCounts: boolean;
  readonly unique: readonly UniqueRule[];
  readonly limits: CollectionLimits;
  /** Null: no events. */
  readonly events: EventRules | null;
  readonly deprecated: Deprecation | null;
  readonly checkFields: CheckFields;
}

/** Further members that the service sets: in shared collections, and in parents. */
export function serviceMembers(
  collection: Pick<Collection, 'isShared' | 'aliases' | 'showsCounts'>,
): ReadonlySet<string> {
  const { isShared, aliases, showsCounts } = collection;
  const further = [
    ...(isShared ? ['roles'] : []),
    ...(isShared && aliases ? ['owner', 'people'] : []),
    ...(showsCounts ? ['counts'] : []),
  ];
  return further.length === 0 ? ownMembers : ownMembers.union(new Set(further));
}

export interface StateMachine {
  readonly initial: string;
  /** By state, then by action. */
  readonly states: ReadonlyMap<string, ReadonlyMap<string, Transition>>;
  readonly actions: readonly string[];
}

export interface Transition
  extends Omit<Loaded<DeclaredAction>, 'by' | 'sets' | 'clears' | 'revokes' | 'whileParentAccepts'> {
  /** Roles. */
  readonly by: readonly string[];
  /** The fields that its input sets, and whether each may be missing. */
  readonly sets: readonly { readonly name: string; readonly isOptional: boolean }[];
  readonly clears: readonly string[];
  readonly revokes: readonly string[];
  readonly whileParentAccepts: boolean;
}

export interface ParentRule extends Omit<Loaded<DeclaredParent>, 'accepts' | 'capacity' | 'counts'> {
  readonly accepts: Loaded<DeclaredParent['accepts']>;
  readonly capacity: Capacity | null;
  /** The states whose records a parent counts; null where the collection has no states. */
  readonly counts: readonly (string | null)[];
}

/** A limit of records under one parent in some states. */
export interface Capacity extends Omit<Loaded<NonNullable<DeclaredParent['capacity']>>, 'field' | 'number'> {
  /** A number, or the name of a field of the parent. */
  readonly maxPlaces: number | string;
}

/** No two records have the same values. */
type UniqueRule = Omit<Loaded<DeclaredUnique>, 'reveals'>;

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

export interface CollectionAccess extends Pick<DeclaredAccess, 'clients'> {
  readonly create: readonly string[];
  readonly read: RoleStates;
  readonly update: RoleStates;
  readonly delete: RoleStates;
  readonly scopes: Loaded<DeclaredAccess['scopes']>;
}

type WithMachine = Pick<Collection, 'machine'>;

/** None in a collection without states. */
export function statesOf({ machine }: WithMachine): readonly string[] {
  return [...(machine?.states.keys() ?? [])];
}

export type NamedTransition = ReturnType<typeof transitionsOf>[number];

/** Every action in every state. */
export function transitionsOf({ machine }: WithMachine) {
  return [...(machine?.states ?? [])].flatMap(([from, actions]) =>
    [...actions].map(([action, transition]) => ({ from, action, ...transition })),
  );
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
