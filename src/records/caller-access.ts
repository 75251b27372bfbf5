import type { Caller } from '../base/caller.ts';
import { Refusal } from '../base/errors.ts';
import { isGranted, requireScopes, scopesOf } from '../base/scopes.ts';
import type { Collection } from '../collections/collection.ts';
import { actionsFor, may, readableStates, rolesOn } from '../collections/roles.ts';
import type { MembersWanted, RecordMember, StoredRecord } from '../storage/port.ts';

export interface CallerIdentity {
  readonly id: string;
  readonly kind: Caller['kind'];
  /** A client of POST /token: budgets for people do not apply. */
  readonly isMachine: boolean;
  /** The roles that its token gives it in every record of the collection. */
  readonly scopeRoles?: readonly string[];
}

type Bearer = Pick<Caller, 'id' | 'kind' | 'scopes' | 'credentialId'>;

/** An admitted caller in a collection. Who may do what is decided by `rolesOn` and `may` of `collections/roles`. */
export class CallerAccess {
  readonly caller: CallerIdentity;
  readonly #collection: Collection;

  constructor(caller: CallerIdentity, collection: Collection) {
    this.caller = caller;
    this.#collection = collection;
  }

  get id(): string {
    return this.caller.id;
  }

  static admit(collection: Collection, caller: Bearer, purpose: 'read' | 'write'): CallerAccess {
    const { clients, scopes } = collection.access;
    const id = ownerOf(caller);
    const isMachine = caller.credentialId !== null;
    if (clients === 'none' && isMachine) throw new Refusal('client_not_admitted');
    const scope = scopes[purpose];
    if (scope !== null) requireScopes([scope], caller.scopes);
    const identity = { id, kind: caller.kind, isMachine };
    if (!collection.isShared) return new CallerAccess(identity, collection);
    return new CallerAccess({ ...identity, scopeRoles: rolesByScope(collection, caller.scopes) }, collection);
  }

  /** What the caller is in the record. */
  rolesOn({ owner }: StoredRecord, members: readonly RecordMember[]): readonly string[] {
    const { id, isMachine, scopeRoles = none } = this.caller;
    const memberRoles = members.filter(({ member }) => member === id).map(({ role }) => role);
    return rolesOn(this.#collection, { isOwner: owner === id, isMachine, scopeRoles, memberRoles });
  }

  sees(record: StoredRecord, members: readonly RecordMember[]): boolean {
    return may(this.#collection, 'read', this.rolesOn(record, members), record.state);
  }

  actionsOn(record: StoredRecord, members: readonly RecordMember[]): string[] {
    return actionsFor(this.#collection, this.rolesOn(record, members), record.state);
  }

  /** The states in which this caller lists everybody's records; null: all of them. Empty: no list of everybody's. */
  get listedStates(): readonly string[] | null {
    const { isMachine, scopeRoles = none } = this.caller;
    const facts = { isOwner: false, isMachine, scopeRoles, memberRoles: [] };
    return readableStates(this.#collection, rolesOn(this.#collection, facts));
  }

  get listsEverybodys(): boolean {
    return this.listedStates?.length !== 0;
  }

  get reachesAll(): boolean {
    return this.caller.isMachine && this.#collection.access.clients === 'any';
  }

  /** The members that decide what this caller may do, and that records show; undefined: none. */
  get membersWanted(): MembersWanted | undefined {
    return membersWanted(this.#collection, this.id);
  }
}

const none: readonly string[] = [];

export function rolesByScope({ roles }: Collection, scopes: Caller['scopes']): readonly string[] {
  return Object.entries(roles).flatMap(([name, role]) =>
    role.kind === 'scope' && isGranted([role.scope], scopes) ? [name] : [],
  );
}

/** The roles that are kept in the database, by kind. */
export function memberRoles({ roles }: Collection, kind?: 'invited' | 'granted'): readonly string[] {
  return Object.entries(roles).flatMap(([name, role]) =>
    role.kind !== 'scope' && (kind === undefined || role.kind === kind) ? [name] : [],
  );
}

export function membersWanted(collection: Collection, member: string): MembersWanted | undefined {
  const roles = memberRoles(collection);
  return roles.length === 0 ? undefined : { member, roles, rolesOfAll: memberRoles(collection, 'granted') };
}

export function ownerOf({ id }: Pick<Bearer, 'id'>): string {
  if (id === null) throw new Refusal('subject_required');
  return id;
}

/** For export and erasure: the token needs the scopes of every collection. */
export function requireScopesOf(
  collections: readonly Collection[],
  { scopes }: Pick<Bearer, 'scopes'>,
  purpose: 'read' | 'write',
): void {
  requireScopes(scopesOf(collections, [purpose]), scopes);
}
