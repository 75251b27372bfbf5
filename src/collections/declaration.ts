import type { KeyedDigest } from '../base/keyed-digest.ts';
import type { DocumentStore } from '../storage/port.ts';
import type { Collection, CollectionLimits, StateMachine, Transition } from './collection.ts';

/** A collection as plain data: what is written down, to be compared with what is declared later. */
export interface Declaration
  extends Pick<
    Collection,
    'name' | 'title' | 'description' | 'schema' | 'index' | 'access' | 'concurrency' | 'deprecated'
  > {
  readonly machine: DeclaredMachine | null;
  readonly limits: CollectionLimits;
  readonly events: { readonly data: 'thin' | 'full'; readonly only: readonly string[] | null } | null;
}

export interface DeclaredMachine {
  readonly initial: string;
  /** By state, then by action. */
  readonly states: Readonly<Record<string, Readonly<Record<string, Transition>>>>;
  readonly editable: readonly string[];
}

export function toDeclaration({ checkFields: _, machine, events, ...plain }: Collection): Declaration {
  return {
    ...plain,
    machine: machine === null ? null : plainMachine(machine),
    events: events === null ? null : { ...events, only: events.only && [...events.only] },
  };
}

function plainMachine({ initial, states, editable }: StateMachine): DeclaredMachine {
  const byState = [...states].map(([state, actions]) => [state, Object.fromEntries(actions)] as const);
  return { initial, states: Object.fromEntries(byState), editable: [...editable] };
}

const documentName = 'collections';
/** Goes up when what is written can no longer be read by what came before. */
const version = 1;

export type StoredDeclarations = ReturnType<typeof storedDeclarations>;

/**
 * Keeps the declarations that are in force, to hold the next ones against. With a keyed checksum: whoever can write to
 * the database must not be able to make a breaking change look like none. The name is authenticated with it.
 */
export function storedDeclarations(documents: Pick<DocumentStore, 'read' | 'write'>, digest: KeyedDigest) {
  const named = (content: string) => `${documentName}\0${content}`;
  return {
    /** By name; empty when there are none, or when they were not written by somebody who has the master secret. */
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
