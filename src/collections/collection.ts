import type { EventRules } from '../events/catalogue.ts';
import type { Schema } from '../openapi/openapi-types.ts';
import type { IndexedField } from '../storage/port.ts';

export type { Schema };

/** A declared collection, checked and with every default filled in: what is served under its name. */
export interface Collection {
  readonly name: string;
  readonly title: string;
  readonly description: string | null;
  /** Of the fields of a record: an object, closed at every depth unless the declaration says otherwise. */
  readonly schema: Schema;
  /** What records can be filtered and sorted by, besides `created_at`. */
  readonly index: readonly IndexedField[];
  readonly machine: StateMachine | null;
  readonly access: CollectionAccess;
  /** Whether a change must say which version of the record it changes. */
  readonly concurrency: 'optional' | 'required';
  readonly limits: CollectionLimits;
  /** What the log of events tells of its records; null: nothing. */
  readonly events: EventRules | null;
  readonly deprecated: Deprecation | null;
  readonly checkFields: CheckFields;
}

/** The members that the service adds to the fields of a record. In a request they are ignored. */
export const ownMembers: ReadonlySet<string> = new Set([
  'id',
  'state',
  'actions',
  'created_at',
  'updated_at',
]);

/** Characters of what a declaration says for people. */
export const longestTitle = 100;
export const longestDescription = 2000;

export interface StateMachine {
  readonly initial: string;
  /** By state, then by action. */
  readonly states: ReadonlyMap<string, ReadonlyMap<string, Transition>>;
  /** The states in which the fields can be changed. */
  readonly editable: ReadonlySet<string>;
  /** Every action of any state. */
  readonly actions: readonly string[];
}

export interface Transition {
  readonly to: string;
  readonly by: 'owner' | 'client' | 'any';
}

export interface CollectionAccess {
  readonly read: 'owner' | 'everyone';
  /** What clients of POST /token may reach. */
  readonly clients: 'none' | 'own' | 'any';
  readonly scopes: { readonly read: string | null; readonly write: string | null };
}

/** So many in a window of time. */
export interface Rate {
  readonly count: number;
  readonly windowMs: number;
}

export interface CollectionLimits {
  /** Records of one caller. */
  readonly perUser: number;
  /** Of the JSON of a record's fields. */
  readonly bytes: number;
  readonly writes: Rate;
  /** For consumers registered less than `forMs` ago. */
  readonly newcomer: (Rate & { readonly forMs: number }) | null;
  /** After the last change; null is never. */
  readonly expireMs: number | null;
}

/** All as they go into headers: RFC 9745, RFC 8594. */
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

/** What is wrong with the fields of a record: at most one mistake for each field at the top; none means valid. */
export type CheckFields = (fields: Readonly<Record<string, unknown>>) => readonly FieldError[];
