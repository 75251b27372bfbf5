import type { KeyedDigest } from '../base/keyed-digest.ts';
import type { DocumentStore } from '../storage/port.ts';
import type { Declaration } from './declaration.ts';

const name = 'collections';
/** Goes up when what is written can no longer be read by what came before. */
const version = 1;

export type StoredDeclarations = ReturnType<typeof storedDeclarations>;

/**
 * Keeps the declarations that are in force, to hold the next ones against. With a keyed checksum: whoever can write to
 * the database must not be able to make a breaking change look like none. The name is authenticated with it.
 */
export function storedDeclarations(documents: Pick<DocumentStore, 'read' | 'write'>, digest: KeyedDigest) {
  const named = (content: string) => `${name}\0${content}`;
  return {
    /** By name; empty when there are none, or when they were not written by somebody who has the master secret. */
    async load(): Promise<ReadonlyMap<string, Declaration>> {
      const found = await documents.read(name);
      if (found === null || !digest.isOf(found.mac, named(found.content))) return new Map();
      const stored: { version: number; declarations: readonly Declaration[] } = JSON.parse(found.content);
      const declarations = stored.version === version ? stored.declarations : [];
      return new Map(declarations.map((declaration) => [declaration.name, declaration]));
    },
    async save(declarations: readonly Declaration[]) {
      const content = JSON.stringify({ version, declarations });
      await documents.write(name, content, digest.of(named(content)));
    },
  };
}
