import type { KeyedDigest } from '../base/keyed-digest.ts';
import type { DocumentStore } from '../storage/port.ts';
import {
  type Collection,
  type RoleStates,
  type StateMachine,
  statesOf,
  type Transition,
} from './collection.ts';
import { toCollection } from './declaration-file.ts';
import type { DeclarationFile } from './declaration-schema.ts';
import { declaredNames } from './declared-names.ts';

/** A collection without the check of its fields: all that a declaration says. */
export type Declaration = Omit<Collection, 'checkFields'>;

/** The declared keys in their shortest form, but for those that each reader shows in its own form. */
export function asDeclared(declaration: Declaration) {
  const { file, machine, access, isShared, roles, handover, aliases, parent, unique } = declaration;
  const { create, read, update, delete: remove, clients, scopes } = access;
  const shared = { create, update, delete: remove };
  const counts = parent?.counts.includes(null) || parent?.counts;
  return {
    ...(machine === null
      ? {}
      : { ...shortMachine(machine), editable: statesIn(update, statesOf(declaration)) }),
    access: {
      read: isShared ? read : Object.hasOwn(read, 'everyone') ? 'everyone' : 'owner',
      ...(isShared ? shared : {}),
      clients,
      scopes,
    },
    ...(isShared ? { roles: declaredRoles(roles, handover), aliases: aliases !== false } : {}),
    ...(typeof aliases === 'object' ? { cards: { collection: aliases.card, name: aliases.name } } : {}),
    ...(parent === null ? {} : { parent: declaredNames({ ...file.parent, counts }) }),
    ...(unique.length === 0 ? {} : { unique: unique.map(declaredNames) }),
    ...declaredNames(plainKeys(file)),
  };
}

/** The keys of which the loader makes nothing else: they are shown as they are declared. */
export function plainKeys(file: DeclarationFile) {
  const { schema, title, description, index, states, editable, roles, parent, ...further } = file;
  const { access, unique, aliases, limits, events, deprecated, ...plain } = further;
  return plain;
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

function declaredRoles(roles: Collection['roles'], handover: Collection['handover']) {
  const declared = Object.entries(roles).map(([name, { kind: _, ...rule }]) => [name, declaredNames(rule)]);
  return { ...Object.fromEntries(declared), ...(handover && { owner: declaredNames(handover) }) };
}

/** The states in which some role may do it. */
export function statesIn(table: RoleStates, states: readonly string[]): readonly string[] {
  const named = Object.values(table);
  return named.includes('all') ? states : states.filter((state) => named.some((of) => of.includes(state)));
}

const documentName = 'collections';
/** Incremented with every change of the stored form. Declarations in another form count as none: a start checks all records. */
const version = 3;

interface Stored {
  readonly version: number;
  readonly files: readonly (readonly [name: string, file: DeclarationFile])[];
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
      const stored: Stored = JSON.parse(found.content);
      const files = stored.version === version ? stored.files : [];
      return new Map(files.map(([name, file]) => [name, toCollection(name, file)]));
    },
    async save(declarations: readonly Declaration[]) {
      const stored: Stored = { version, files: declarations.map(({ name, file }) => [name, file]) };
      const content = JSON.stringify(stored);
      await documents.write(documentName, content, digest.of(named(content)));
    },
  };
}
