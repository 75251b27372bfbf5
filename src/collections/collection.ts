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

export const longestTitle = 100;
export const longestDescription = 2000;

export interface StateMachine {
  readonly initial: string;
  /** By state, then by action. */
  readonly states: ReadonlyMap<string, ReadonlyMap<string, Transition>>;
  readonly editable: ReadonlySet<string>;
  readonly actions: readonly string[];
}

export interface Transition {
  readonly to: string;
  readonly by: 'owner' | 'client' | 'any';
}

export interface CollectionAccess {
  readonly read: 'owner' | 'everyone';
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
