import type { KeyedDigest } from '../base/keyed-digest.ts';
import type { DocumentStore } from '../storage/port.ts';
import type {
  Capacity,
  Collection,
  CollectionLimits,
  ParentRule,
  RoleRule,
  RoleStates,
  StateMachine,
  Transition,
} from './collection.ts';

export interface Declaration
  extends Pick<
    Collection,
    | 'name'
    | 'title'
    | 'description'
    | 'schema'
    | 'index'
    | 'access'
    | 'isShared'
    | 'roles'
    | 'handover'
    | 'aliases'
    | 'parent'
    | 'unique'
    | 'search'
    | 'history'
    | 'concurrency'
    | 'deprecated'
  > {
  readonly machine: DeclaredMachine | null;
  readonly limits: CollectionLimits;
  readonly events: { readonly data: 'thin' | 'full'; readonly only: readonly string[] | null } | null;
}

export interface DeclaredMachine {
  readonly initial: string;
  readonly states: Readonly<Record<string, Readonly<Record<string, Transition>>>>;
}

export function toDeclaration({
  checkFields: _,
  children: __,
  machine,
  events,
  ...plain
}: Collection): Declaration {
  return {
    ...plain,
    machine: machine === null ? null : plainMachine(machine),
    events: events === null ? null : { ...events, only: events.only && [...events.only] },
  };
}

function plainMachine({ initial, states }: StateMachine): DeclaredMachine {
  const byState = [...states].map(([state, actions]) => [state, Object.fromEntries(actions)] as const);
  return { initial, states: Object.fromEntries(byState) };
}

export function toMachine({ initial, states }: DeclaredMachine): StateMachine {
  const byState = Object.entries(states).map(([state, of]) => [state, new Map(Object.entries(of))] as const);
  const actions = new Set(byState.flatMap(([, of]) => [...of.keys()]));
  return { initial, states: new Map(byState), actions: [...actions] };
}

/** The members about states and access in their shortest form. */
export function asDeclared(declaration: Declaration) {
  const { machine, access, isShared, roles, handover, aliases, parent, unique } = declaration;
  const { create, read, update, delete: remove, clients, scopes } = access;
  const shared = { create, update, delete: remove };
  return {
    ...(machine === null
      ? {}
      : { ...shortMachine(machine), editable: statesIn(update, Object.keys(machine.states)) }),
    access: { read: isShared ? read : shortRead(read), ...(isShared ? shared : {}), clients, scopes },
    ...(isShared ? { roles: declaredRoles(roles, handover), aliases } : {}),
    ...(parent === null ? {} : { parent: declaredParent(parent) }),
    ...(unique.length === 0
      ? {}
      : { unique: unique.map(({ fields, states }) => ({ fields, ...(states === null ? {} : { states }) })) }),
  };
}

function shortMachine({ initial, states }: DeclaredMachine) {
  const short = Object.entries(states).map(([state, actions]) => [
    state,
    Object.fromEntries(Object.entries(actions).map(([action, of]) => [action, shortTransition(of)])),
  ]);
  return { initial, states: Object.fromEntries(short) };
}

function shortTransition(transition: Transition) {
  const { to, by, sets, clears, grants, chosenFrom, revokes, whileParentAccepts } = transition;
  return {
    to,
    by: by.length === 1 ? by[0] : by.join() === 'owner,client' ? 'any' : by,
    ...(sets.length === 0
      ? {}
      : { sets: sets.map(({ name, isOptional }) => `${name}${isOptional ? '?' : ''}`) }),
    ...(clears.length === 0 ? {} : { clears }),
    ...(grants === null ? {} : { grants }),
    ...(chosenFrom === null ? {} : { chosen_from: chosenFrom }),
    ...(revokes.length === 0 ? {} : { revokes }),
    ...(whileParentAccepts ? { while_parent_accepts: true } : {}),
  };
}

function declaredParent(parent: ParentRule) {
  const { field, collection, accepts, ownedBy, onDelete, max, capacity, counts } = parent;
  const { states, before } = accepts;
  return {
    field,
    collection,
    ...(states === null && before === null
      ? {}
      : { accepts: { ...(states === null ? {} : { states }), ...(before === null ? {} : { before }) } }),
    owned_by: ownedBy,
    on_delete: onDelete,
    ...(max === null ? {} : { max }),
    ...(capacity === null ? {} : { capacity: declaredCapacity(capacity) }),
    ...(counts.length === 0 ? {} : { counts: counts.includes(null) ? true : counts }),
  };
}

function declaredCapacity({ states, most, overflow }: Capacity) {
  return {
    states,
    ...(typeof most === 'number' ? { number: most } : { field: most }),
    ...(overflow === null ? {} : { overflow }),
  };
}

function declaredRoles(roles: Collection['roles'], handover: Collection['handover']) {
  const owner = handover && {
    invited_by: handover.invitedBy,
    ...(handover.previousOwner === null ? {} : { previous_owner: handover.previousOwner }),
  };
  const others = Object.entries(roles).map(([name, role]) => [name, declaredRole(role)]);
  return { ...Object.fromEntries(others), ...(owner === null ? {} : { owner }) };
}

function declaredRole(role: RoleRule) {
  if (role.kind === 'scope') return { scope: role.scope };
  if (role.kind === 'parent') return { parent_roles: role.parentRoles };
  return role.kind === 'granted'
    ? { max_per_user: role.maxPerUser }
    : { invited_by: role.invitedBy, max: role.max };
}

function shortRead(read: RoleStates): string {
  return Object.hasOwn(read, 'everyone') ? 'everyone' : 'owner';
}

/** The states in which some role may do it. */
export function statesIn(table: RoleStates, states: readonly string[]): readonly string[] {
  const named = Object.values(table);
  return named.includes('all') ? states : states.filter((state) => named.some((of) => of.includes(state)));
}

const documentName = 'collections';
/** Incremented with every change of the stored form. Declarations in another form count as none: a start checks all records. */
const version = 1;

export type StoredDeclarations = ReturnType<typeof storedDeclarations>;

/** Stores the active declarations with a MAC: write access to the database cannot hide a breaking change. */
export function storedDeclarations(documents: Pick<DocumentStore, 'read' | 'write'>, digest: KeyedDigest) {
  const named = (content: string) => `${documentName}\0${content}`;
  return {
    /** By name; empty if none are stored or the MAC is wrong. */
    async load(): Promise<ReadonlyMap<string, Declaration>> {
      const found = await documents.read(documentName);
      if (found === null || !digest.isOf(found.mac, named(found.content))) return new Map();
      const stored: { version: number; declarations: readonly Declaration[] } = JSON.parse(found.content);
      const declarations = stored.version === version ? stored.declarations : [];
      return new Map(declarations.map((declaration) => [declaration.name, declaration]));
    },
    async save(declarations: readonly Declaration[]) {
      const content = JSON.stringify({ version, declarations });
      await documents.write(documentName, content, digest.of(named(content)));
    },
  };
}
