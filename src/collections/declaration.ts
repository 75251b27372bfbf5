import type { KeyedDigest } from '../base/keyed-digest.ts';
import type { DocumentStore } from '../storage/port.ts';
import type { Capacity, Collection, ParentRule, RoleStates, StateMachine, Transition } from './collection.ts';
import { declaredNames } from './declared-names.ts';

/** What a declaration says of a collection. */
export type Declaration = Omit<Collection, 'checkFields' | 'children'>;

export function toDeclaration({ checkFields: _, children: __, ...declaration }: Collection): Declaration {
  return declaration;
}

/** The declared keys in their shortest form, but for those that each reader shows in its own form. */
export function asDeclared(declaration: Declaration) {
  const { name, title, description, schema, index, limits, events, deprecated, ...declared } = declaration;
  const { machine, access, isShared, roles, handover, aliases, parent, unique, ...plain } = declared;
  const { create, read, update, delete: remove, clients, scopes } = access;
  const shared = { create, update, delete: remove };
  return {
    ...(machine === null
      ? {}
      : { ...shortMachine(machine), editable: statesIn(update, [...machine.states.keys()]) }),
    access: { read: isShared ? read : shortRead(read), ...(isShared ? shared : {}), clients, scopes },
    ...(isShared ? { roles: declaredRoles(roles, handover), aliases } : {}),
    ...(parent === null ? {} : { parent: declaredParent(parent) }),
    ...(unique.length === 0 ? {} : { unique: unique.map(declaredNames) }),
    ...declaredNames(plain),
  };
}

function shortMachine({ initial, states }: StateMachine) {
  const short = [...states].map(([state, actions]) => [
    state,
    Object.fromEntries([...actions].map(([action, of]) => [action, shortTransition(of)])),
  ]);
  return { initial, states: Object.fromEntries(short) };
}

function shortTransition(transition: Transition) {
  const { by, sets } = transition;
  return declaredNames({
    ...transition,
    by: by.length === 1 ? by[0] : by.join() === 'owner,client' ? 'any' : by,
    sets: sets.map(({ name, isOptional }) => `${name}${isOptional ? '?' : ''}`),
  });
}

function declaredParent({ capacity, counts, ...plain }: ParentRule) {
  return declaredNames({
    ...plain,
    capacity: capacity && declaredCapacity(capacity),
    counts: counts.includes(null) || counts,
  });
}

function declaredCapacity({ states, most, overflow }: Capacity) {
  return { states, [typeof most === 'number' ? 'number' : 'field']: most, overflow };
}

function declaredRoles(roles: Collection['roles'], handover: Collection['handover']) {
  const declared = Object.entries(roles).map(([name, { kind: _, ...rule }]) => [name, declaredNames(rule)]);
  return { ...Object.fromEntries(declared), ...(handover && { owner: declaredNames(handover) }) };
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
const version = 2;

type Stored = ReturnType<typeof toStored>;

/** JSON has no maps and sets. */
function toStored({ machine, events, ...plain }: Declaration) {
  return {
    ...plain,
    machine: machine && {
      ...machine,
      states: [...machine.states].map(([state, of]) => [state, [...of]] as const),
    },
    events: events && { ...events, only: events.only && [...events.only] },
  };
}

function fromStored({ machine, events, ...plain }: Stored): Declaration {
  return {
    ...plain,
    machine: machine && {
      ...machine,
      states: new Map(machine.states.map(([state, of]) => [state, new Map(of)])),
    },
    events: events && { ...events, only: events.only && new Set(events.only) },
  };
}

export type StoredDeclarations = ReturnType<typeof storedDeclarations>;

/** Stores the active declarations with a MAC: write access to the database cannot hide a breaking change. */
export function storedDeclarations(documents: Pick<DocumentStore, 'read' | 'write'>, digest: KeyedDigest) {
  const named = (content: string) => `${documentName}\0${content}`;
  return {
    /** By name; empty if none are stored or the MAC is wrong. */
    async load(): Promise<ReadonlyMap<string, Declaration>> {
      const found = await documents.read(documentName);
      if (found === null || !digest.isOf(found.mac, named(found.content))) return new Map();
      const stored: { version: number; declarations: readonly Stored[] } = JSON.parse(found.content);
      const declarations = stored.version === version ? stored.declarations.map(fromStored) : [];
      return new Map(declarations.map((declaration) => [declaration.name, declaration]));
    },
    async save(declarations: readonly Declaration[]) {
      const content = JSON.stringify({ version, declarations: declarations.map(toStored) });
      await documents.write(documentName, content, digest.of(named(content)));
    },
  };
}
