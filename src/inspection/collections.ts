import type { Keyring } from '../auth/keyring.ts';
import { createKeyedDigest } from '../base/keyed-digest.ts';
import type { Config } from '../config/settings.ts';
import { checkAgainst, sentenceOf } from '../consumer/collections/check-against.ts';
import { storedDeclarations } from '../consumer/collections/stored-declarations.ts';
import { readDeclaredCollections } from '../declared-collections.ts';
import type { Reading } from '../storage/port.ts';
import { onlyRead, readStorage } from './read-storage.ts';

/** What is declared, held against the records that exist. */
export function judgeCollections(config: Config) {
  return readStorage(config, (reading, keyring) => verdictsOn(config, reading, keyring));
}

export async function verdictsOn(config: Config, { documents, records }: Reading, keyring: Keyring) {
  const digest = createKeyedDigest(keyring.declarations);
  const stored = await storedDeclarations(onlyRead(documents), digest).load();
  const declared = await readDeclaredCollections(config);
  const verdicts = await checkAgainst({ stored, declared, records });
  return verdicts.map((verdict) => ({ ...verdict, sentence: sentenceOf(verdict) }));
}
