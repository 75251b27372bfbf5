import type { KeyedDigest } from '../base/keyed-digest.ts';
import type { DocumentStore } from '../storage/port.ts';
import type { Collection, CollectionLimits, StateMachine, Transition } from './collection.ts';

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
/** Raised when an older release cannot read the format. */
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
