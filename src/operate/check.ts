import type { Keyring } from '../auth/keyring.ts';
import { authenticatedMemory } from '../auth/stored-key-set.ts';
import { systemClock } from '../base/clock.ts';
import { OperatorError } from '../base/errors.ts';
import type { Finding } from '../base/finding.ts';
import { createKeyedDigest } from '../base/keyed-digest.ts';
import { checkAgainst, sentenceOf, widerLines } from '../collections/check-against.ts';
import { storedDeclarations } from '../collections/declaration.ts';
import { readDeclaredCollections } from '../compose/declared-collections.ts';
import { keyringFor, readDatabase, readStorage, whyNotRead } from '../compose/read-storage.ts';
import { erasureLogFile } from '../config/files.ts';
import type { Config } from '../config/settings.ts';
import type { Storage } from '../storage/port.ts';
import { finding } from './findings.ts';

export function judgeCollections(config: Config) {
  return readStorage(config, (storage, keyring) => verdictsOn(config, storage, keyring));
}

/** A line for each collection that gives a role more access than the one in the database. */
export async function findWider(config: Config): Promise<readonly string[]> {
  return (await judgeCollections(config)).flatMap(widerLines);
}

export async function verdictsOn(config: Config, { documents, records }: Storage, keyring: Keyring) {
  const digest = createKeyedDigest(keyring.declarations);
  const stored = await storedDeclarations(documents, digest).load();
  const declared = await readDeclaredCollections(config);
  const verdicts = await checkAgainst({ stored, declared, records });
  // What prevents a deployment comes first.
  const rank = ({ verdict, wider }: (typeof verdicts)[number]) =>
    verdict === 'breaking' ? 0 : wider.length > 0 ? 1 : 2;
  return verdicts
    .toSorted((one, other) => rank(one) - rank(other))
    .map((verdict) => ({ ...verdict, sentence: sentenceOf(verdict) }));
}

/** Checks what the service would find at startup. A database that is absent or does not answer is reported, but is not an error. */
export async function checkService(config: Config) {
  const collections = (await readDeclaredCollections(config)).map(({ name, title }) => ({ name, title }));
  const { keys, ...database } = await readDatabase(config, async (found) => {
    if (found.state === 'ready')
      return { state: found.state, sentence: null, keys: await storedKeys(config, found.storage) };
    const sentence = whyNotRead(config, found);
    // The next "serve" migrates an older schema; it cannot start with a newer one.
    if (found.state === 'other_version' && found.isTooNew) throw new OperatorError(sentence);
    const keys: StoredKeys[] = config.providers.map(({ name }) => ({ name, times: null }));
    return { state: found.state, sentence, keys };
  });
  return { collections, database, keys, warnings: erasureLogFindings(config) };
}

export type StoredKeys = Awaited<ReturnType<typeof storedKeys>>[number];

/** The age of each provider's stored keys, which a restart would use. */
async function storedKeys(config: Config, storage: Storage) {
  const { providerKeys } = await keyringFor(config, storage);
  const seconds = (milliseconds: number) => Math.max(Math.round(milliseconds / 1000), 0);
  const stored = config.providers.map(async ({ name, jwksUrl }) => {
    const keys = await authenticatedMemory(storage.documents, providerKeys, jwksUrl).load();
    if (keys === null) return { name, times: null };
    const ageMs = systemClock.now() - keys.fetchedAt;
    const times = {
      age_seconds: seconds(ageMs),
      next_fetch_in_seconds: seconds(keys.refreshAt - systemClock.now()),
      stale_seconds_left: seconds(config.jwksMaxStaleSeconds * 1000 - ageMs),
    };
    return { name, times };
  });
  return Promise.all(stored);
}

/** Warns of erasures that a restored backup would undo. SQLite has a log of erasures by default. */
export function erasureLogFindings(config: Config): readonly Finding[] {
  return erasureLogFile(config) === null ? [finding('erasure log', 'erasure_log_missing', {})] : [];
}
