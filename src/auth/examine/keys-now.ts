import { roughDuration } from '../../base/duration.ts';
import { Refusal } from '../../base/errors.ts';
import { quoted } from '../../base/finding.ts';
import { type KeySet, readKeySet } from '../key-set.ts';
import { FetchError, fetchDocument } from '../provider-fetch.ts';
import type { KeySetMemory } from '../stored-key-set.ts';

/** The keys of an issuer as they are now, and where they come from. */
export interface KeysNow {
  readonly set: Pick<KeySet, 'keys' | 'find'>;
  readonly source: string;
  /** When a key was made, if that is known. */
  readonly madeAt?: (kid: string | undefined) => number | undefined;
}

interface ProviderKeysNow {
  readonly url: string;
  readonly algorithms: readonly string[];
  readonly maxStaleSeconds: number;
  readonly memory: Pick<KeySetMemory, 'load'> | null;
  readonly now: number;
}

/** Fetched now; if that fails, the stored ones that a restart would begin with. */
export async function providerKeysNow(options: ProviderKeysNow): Promise<KeysNow> {
  const { url, algorithms, maxStaleSeconds, memory, now } = options;
  const fetched = await fetchDocument(url, new AbortController().signal).then(
    ({ document }) => readKeySet(document, algorithms),
    (error: unknown) => {
      if (error instanceof FetchError) return error.message;
      throw error;
    },
  );
  if (typeof fetched !== 'string') return { set: fetched, source: `fetched from ${quoted(url)} just now` };
  const stored = (await memory?.load()) ?? null;
  const set = stored === null ? 'none stored' : readKeySet(stored.document, algorithms);
  const ageSeconds = Math.max(now - (stored?.fetchedAt ?? 0), 0) / 1000;
  if (typeof set === 'string' || ageSeconds >= maxStaleSeconds)
    throw new Refusal('keys_unavailable', { detail: `${quoted(url)}: ${fetched}` });
  return { set, source: `stored ${roughDuration(ageSeconds)} ago; they cannot be fetched now: ${fetched}` };
}

interface OwnKey {
  readonly kid: string;
  readonly createdAt: number;
  readonly publicJwk: string;
  readonly retiresAt: number | null;
}

/** Our own keys that still verify. Our tokens always name their key. */
export function ownKeysNow(keys: readonly OwnKey[], algorithms: readonly string[], now: number): KeysNow {
  const published = keys.filter(({ retiresAt }) => retiresAt === null || retiresAt > now);
  const read = readKeySet({ keys: published.map(({ publicJwk }) => JSON.parse(publicJwk)) }, algorithms);
  const set = typeof read === 'string' ? { keys: [], find: () => undefined } : read;
  const find: KeySet['find'] = (kid, algorithm) => (kid === undefined ? undefined : set.find(kid, algorithm));
  const madeAt = (name = '') => published.find(({ kid }) => kid === name)?.createdAt;
  return { set: { keys: set.keys, find }, source: 'from the database', madeAt };
}
