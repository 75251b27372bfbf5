import type { Caller } from '../base/caller.ts';
import { Refusal } from '../base/errors.ts';
import { isGranted, requireScopes, scopesOf } from '../base/scopes.ts';
import type { Collection } from '../collections/collection.ts';
import { type Lineage, lineageAbove, ownerIn } from '../collections/lineage.ts';
import { actionsFor, may, readableStates, rolesOn, roleToCreate } from '../collections/roles.ts';
import type { MembersWanted, RecordContext, RecordInContext, StoredRecord } from '../storage/port.ts';
import { acceptsNow } from './accepts.ts';

export interface CallerIdentity {
  readonly id: string;
  readonly kind: Caller['kind'];
  /** A client of POST /token: budgets for people do not apply. */
  readonly isMachine: boolean;
  /**
   * The roles that its token gives it in every record, by collection. A collection whose records it may not read is missing.
   */
  readonly scopeRoles?: ScopeRoles;
}

export type ScopeRoles = Readonly<Record<string, readonly string[]>>;

type Bearer = Pick<Caller, 'id' | 'kind' | 'scopes' | 'credentialId'>;

/** An admitted caller in a collection. `rolesOn` and `may` of `collections/roles` decide what it may do. */
export class CallerAccess {
  readonly caller: CallerIdentity;
  readonly #lineage: Lineage;

  constructor(caller: CallerIdentity, lineage: Lineage) {
    this.caller = caller;
    this.#lineage = lineage;
  }

  get id(): string {
    return this.caller.id;
  }

  static admit(lineage: Lineage, caller: Bearer, purpose: 'read' | 'write'): CallerAccess {
    const [collection, ...above] = lineage;
    const { clients, scopes } = collection.access;
    const identity = identityOf(caller);
    if (clients === 'none' && identity.isMachine) throw new Refusal('client_not_admitted');
    const scope = scopes[purpose];
    if (scope !== null) requireScopes([scope], caller.scopes);
    if (!collection.isShared) return new CallerAccess(identity, lineage);
    const admitting = [collection, ...above.filter((one) => admitsReader(one, caller))];
    const scopeRoles = Object.fromEntries(
      admitting.map((one) => [one.name, rolesByScope(one, caller.scopes)]),
    );
    return new CallerAccess({ ...identity, scopeRoles }, lineage);
  }

  /** The roles of the caller in the record. */
  rolesOn(record: StoredRecord, context: RecordContext): readonly string[] {
    return rolesIn(this.#lineage, this.caller, { ...context, record });
  }

  sees(record: StoredRecord, context: RecordContext): boolean {
    return may(this.#lineage[0], 'read', this.rolesOn(record, context), record.state);
  }

  /** The actions that the caller may take now. */
  actionsOn(record: StoredRecord, context: RecordContext, now: number): string[] {
    const [collection] = this.#lineage;
    const actions = actionsFor(collection, this.rolesOn(record, context), record.state);
    const transitions = collection.machine?.states.get(record.state ?? '');
    const needsParent = (action: string) => transitions?.get(action)?.whileParentAccepts === true;
    return actions.filter((action) => !needsParent(action) || acceptsNow(collection, context.parent, now));
  }

  /** The roles of the caller before there is a record; null: it cannot read the parent of the new one. */
  rolesUnder(parent: RecordContext['parent']): readonly string[] | null {
    const [collection] = this.#lineage;
    const parentRoles = parentRolesIn(lineageAbove(this.#lineage), this.caller, parent);
    if (parentRoles === null && !(this.reachesAll && parent)) return null;
    return rolesOn(collection, { ...this.#facts, isOwner: false, memberRoles: [], parentRoles });
  }

  /** The role by which it may create a record with these roles; null: it may not. */
  createsBy(roles: readonly string[]): string | null {
    return roleToCreate(this.#lineage[0], roles);
  }

  /** The states in which this caller lists everyone's records; null: all of them. Empty: no such list. */
  get listedStates(): readonly string[] | null {
    const [collection] = this.#lineage;
    const facts = { ...this.#facts, isOwner: false, memberRoles: [] };
    // It is not known here whether it can read all parents.
    const roles = rolesOn(collection, collection.parent === null ? facts : { ...facts, parentRoles: null });
    return readableStates(collection, roles);
  }

  get listsEverybodys(): boolean {
    return this.listedStates?.length !== 0;
  }

  get reachesAll(): boolean {
    return this.caller.isMachine && this.#lineage[0].access.clients === 'any';
  }

  /** The members that decide what this caller may do, and that records show; undefined: none. */
  get membersWanted(): MembersWanted | undefined {
    return membersWanted(this.#lineage[0], this.id);
  }

  get #facts() {
    const { isMachine, scopeRoles } = this.caller;
    return { isMachine, scopeRoles: scopeRoles?.[this.#lineage[0].name] ?? none };
  }
}

const none: readonly string[] = [];

type Who = Pick<CallerIdentity, 'id' | 'isMachine' | 'scopeRoles'>;

/** The roles of a caller in a record, by the record itself and its ancestors. */
export function rolesIn(lineage: Lineage, who: Who, placed: RecordInContext): readonly string[] {
  const [collection] = lineage;
  const facts = {
    isOwner: ownerIn(lineage, placed) === who.id,
    isMachine: who.isMachine,
    scopeRoles: who.scopeRoles?.[collection.name] ?? none,
    memberRoles: placed.members.filter(({ member }) => member === who.id).map(({ role }) => role),
  };
  if (collection.parent === null) return rolesOn(collection, facts);
  return rolesOn(collection, {
    ...facts,
    parentRoles: parentRolesIn(lineageAbove(lineage), who, placed.parent),
  });
}

/** The roles in the parent; null: the caller cannot read it, or it is gone. Undefined: there are no parents. */
function parentRolesIn(
  lineage: Lineage | null,
  who: Who,
  parent: RecordContext['parent'],
): readonly string[] | null | undefined {
  if (lineage === null) return undefined;
  const [collection] = lineage;
  // The scopes and `clients` of the parent's collection count here, too.
  const isAdmitted = who.scopeRoles === undefined || Object.hasOwn(who.scopeRoles, collection.name);
  if (!parent || !isAdmitted) return null;
  const roles = rolesIn(lineage, who, parent);
  return may(collection, 'read', roles, parent.record.state) ? roles : null;
}

/** True if the token of the caller lets it read records of the collection. */
export function admitsReader({ access: { clients, scopes } }: Collection, caller: Bearer): boolean {
  if (clients === 'none' && caller.credentialId !== null) return false;
  return scopes.read === null || isGranted([scopes.read], caller.scopes);
}

export function rolesByScope({ roles }: Collection, scopes: Caller['scopes']): readonly string[] {
  return Object.entries(roles).flatMap(([name, role]) =>
    role.kind === 'scope' && isGranted([role.scope], scopes) ? [name] : [],
  );
}

/** The roles that are stored in the database, by kind. */
export function memberRoles({ roles }: Collection, kind?: 'invited' | 'granted'): readonly string[] {
  const kinds: readonly string[] = kind === undefined ? ['invited', 'granted'] : [kind];
  return Object.entries(roles).flatMap(([name, role]) => (kinds.includes(role.kind) ? [name] : []));
}

type StoredRoles = Pick<MembersWanted, 'roles' | 'rolesOfAll'>;

/** Computed once for each collection, because every request asks. */
const known = new WeakMap<Collection, StoredRoles>();

/** The roles of a caller that are read with a record, and those whose holders are read. */
export function storedRoles(collection: Collection): StoredRoles {
  let stored = known.get(collection);
  if (stored === undefined) {
    stored = { roles: memberRoles(collection), rolesOfAll: memberRoles(collection, 'granted') };
    known.set(collection, stored);
  }
  return stored;
}

export function membersWanted(collection: Collection, member: string): MembersWanted | undefined {
  const stored = storedRoles(collection);
  return stored.roles.length === 0 ? undefined : { member, ...stored };
}

/** Without the roles that its token gives it, which differ by collection. */
export function identityOf(caller: Bearer): CallerIdentity {
  return { id: ownerOf(caller), kind: caller.kind, isMachine: caller.credentialId !== null };
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
