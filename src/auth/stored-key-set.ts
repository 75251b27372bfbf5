import { createKeyedDigest } from '../base/keyed-digest.ts';

/** The last good key set, stored across restarts. Times are wall-clock milliseconds. */
export interface StoredKeySet {
  readonly document: unknown;
  readonly fetchedAt: number;
  readonly refreshAt: number;
}

export type KeySetMemory = ReturnType<typeof authenticatedMemory>;

interface KeySetDocuments {
  read(name: string): Promise<{ readonly content: string; readonly mac: Uint8Array } | null>;
  write(name: string, content: string, mac: Uint8Array): Promise<void>;
}

/** Keeps a key set with a MAC over it and the name (the provider's address), so that a writer to the database cannot plant a key. */
export function authenticatedMemory(documents: KeySetDocuments, key: Uint8Array, name: string) {
  const digest = createKeyedDigest(key);
  return {
    /** Null if there is no stored set or the MAC is wrong. */
    async load(): Promise<StoredKeySet | null> {
      const found = await documents.read(name);
      if (found === null) return null;
      return digest.isOf(found.mac, name, found.content) ? JSON.parse(found.content) : null;
    },
    async save(stored: StoredKeySet) {
      const content = JSON.stringify(stored);
      await documents.write(name, content, digest.of(name, content));
    },
  };
}
