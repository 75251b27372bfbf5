import type { Keyring } from '../auth/keyring.ts';
import { authenticatedMemory } from '../auth/stored-key-set.ts';
import { OperatorError } from '../base/errors.ts';
import { createKeyedDigest } from '../base/keyed-digest.ts';
import { checkAgainst, sentenceOf } from '../collections/check-against.ts';
import { storedDeclarations } from '../collections/declaration.ts';
import type { Config } from '../config/settings.ts';
import type { Storage } from '../storage/port.ts';
import { readDeclaredCollections } from './declared-collections.ts';
import { keyringFor, readDatabase, readStorage, whyNotRead } from './read-storage.ts';

/** What is declared, held against the records that exist. */
export function judgeCollections(config: Config) {
  return readStorage(config, (storage, keyring) => verdictsOn(config, storage, keyring));
}

export async function verdictsOn(config: Config, { documents, records }: Storage, keyring: Keyring) {
  const digest = createKeyedDigest(keyring.declarations);
  const stored = await storedDeclarations(documents, digest).load();
  const declared = await readDeclaredCollections(config);
  const verdicts = await checkAgainst({ stored, declared, records });
  return verdicts.map((verdict) => ({ ...verdict, sentence: sentenceOf(verdict) }));
}

/** The keys of each provider that a restart would begin with; else why they cannot be read. */
export function storedKeySets(config: Config) {
  return readDatabase(config, async (found) => {
    if (found.state === 'ready') {
      const { providerKeys } = await keyringFor(config, found.storage);
      const { documents } = found.storage;
      const keys = config.providers.map(({ jwksUrl }) =>
        authenticatedMemory(documents, providerKeys, jwksUrl).load(),
      );
      return { state: found.state, sentence: null, keys: await Promise.all(keys) };
    }
    const sentence = whyNotRead(config, found);
    // An older one is migrated by the next "serve"; with this one it cannot start.
    if (found.state === 'other_version' && found.isTooNew) throw new OperatorError(sentence);
    return { state: found.state, sentence, keys: config.providers.map(() => null) };
  });
}
