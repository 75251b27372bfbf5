import { Buffer } from 'node:buffer';
import { authenticatedMemory, type KeySetMemory } from '../../../src/auth/stored-key-set.ts';
import { isJsonObject } from '../../../src/base/strict-json.ts';

/** Stores the last good key set as one text, so that a restart during an outage of the provider still verifies. */
export interface KeySetStore {
  /** The last stored text; null if there is none. */
  read(): Promise<string | null>;
  write(text: string): Promise<void>;
}

/**
 * The text holds the key set and a checksum over it and the provider's name. With a secret the checksum is keyed, so that
 * write access to the store is not enough to plant a key.
 */
export function keptKeys(store: KeySetStore, secret: string | null, name: string): KeySetMemory {
  const documents = {
    async read() {
      const kept = readKept(await store.read());
      return kept && { content: kept.content, mac: Buffer.from(kept.mac, 'base64url') };
    },
    write: (_name: string, content: string, mac: Uint8Array) =>
      store.write(JSON.stringify({ content, mac: Buffer.from(mac).toString('base64url') })),
  };
  return authenticatedMemory(documents, Buffer.from(secret ?? ''), name);
}

/** For programs that store nothing. */
export const nothingKept: KeySetMemory = { load: async () => null, save: async () => {} };

/** Null for a text that was changed or truncated: then there are no keys to start with. */
function readKept(text: string | null): { readonly content: string; readonly mac: string } | null {
  try {
    const kept: unknown = JSON.parse(text ?? 'null');
    if (!isJsonObject(kept)) return null;
    const { content, mac } = kept;
    return typeof content === 'string' && typeof mac === 'string' ? { content, mac } : null;
  } catch {
    return null;
  }
}
