import type { EventRules } from '../events/catalogue.ts';
import type { Schema } from '../openapi/openapi-types.ts';
import type { IndexedField } from '../storage/port.ts';

export type { Schema };

export interface Collection {
  readonly name: string;
  readonly title: string;
  readonly description: string | null;
  /** Of the fields; objects are closed unless declared open. */
  readonly schema: Schema;
  readonly index: readonly IndexedField[];
  readonly machine: StateMachine | null;
  readonly access: CollectionAccess;
  /** Whether callers are told their roles in a record: the declaration says more than `owner` or `everyone`. */
  readonly isShared: boolean;
  /** The declared roles, by name. */
  readonly roles: Readonly<Record<string, RoleRule>>;
  /** Who may hand ownership over, and the role that the former owner keeps; null: nobody. */
  readonly handover: Handover | null;
  /** Whether records show who is who, by alias. */
  readonly aliases: boolean;
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

/** Further members that the service sets in the records of a shared collection. */
const sharedMembers: ReadonlySet<string> = ownMembers.union(new Set(['roles']));
const aliasMembers: ReadonlySet<string> = sharedMembers.union(new Set(['owner', 'people']));

export function serviceMembers({
  isShared,
  aliases,
}: Pick<Collection, 'isShared' | 'aliases'>): ReadonlySet<string> {
  if (!isShared) return ownMembers;
  return aliases ? aliasMembers : sharedMembers;
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
  /** The role that it gives to the caller who takes it. */
  readonly grants: string | null;
  /** The roles that it takes away from their holders. */
  readonly revokes: readonly string[];
}

/** How callers get a role: by accepting an invitation, by taking an action, or with a scope of their token. */
export type RoleRule =
  | { readonly kind: 'invited'; readonly invitedBy: readonly string[]; readonly max: number }
  | { readonly kind: 'granted'; readonly maxPerUser: number }
  | { readonly kind: 'scope'; readonly scope: string };

export interface Handover {
  readonly invitedBy: readonly string[];
  readonly previousOwner: string | null;
}

/** The states in which each role may do something. Who may act is in the transitions. */
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
  /** Of the JSON of a record's fields. */
  readonly bytes: number;
  readonly writes: Rate;
  /** For consumers registered less than `forMs` ago. */
  readonly newcomer: (Rate & { readonly forMs: number }) | null;
  /** After the last change; null is never. */
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
