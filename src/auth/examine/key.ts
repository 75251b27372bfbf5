import type { KeyObject } from 'node:crypto';
import { roughDuration } from '../../base/duration.ts';
import type { ErrorCode } from '../../base/errors.ts';
import { passed, quoted, skipped } from '../../base/finding.ts';
import type { CompactToken } from '../compact.ts';
import type { TokenHeader } from '../header.ts';
import { type KeySet, readKeySet } from '../key-set.ts';
import { FetchError, fetchDocument } from '../provider-fetch.ts';
import { signatureHolds } from '../signature.ts';
import type { KeySetMemory } from '../stored-key-set.ts';
import { failedStep, judged, type Step } from './step.ts';

/** The keys of an issuer as they are now, and where they were had. */
export type KeysAtHand =
  | {
      readonly set: Pick<KeySet, 'keys' | 'find'>;
      readonly source: string;
      /** When a key was made, where that is known. */
      readonly madeAt?: (kid: string | undefined) => number | undefined;
    }
  | { readonly code: ErrorCode; readonly why: string };

interface ProviderKeysNow {
  readonly url: string;
  readonly algorithms: readonly string[];
  readonly maxStaleSeconds: number;
  readonly memory: Pick<KeySetMemory, 'load'> | null;
  readonly now: number;
}

/** Fetched now; when that cannot be done, those that a restart would begin with. */
export async function providerKeysNow(options: ProviderKeysNow): Promise<KeysAtHand> {
  const { url, algorithms, maxStaleSeconds, memory, now } = options;
  const fault = await fetchDocument(url, new AbortController().signal).then(
    ({ document }) => {
      const set = readKeySet(document, algorithms);
      return typeof set === 'string' ? set : { set, source: `fetched from ${quoted(url)} just now` };
    },
    (error: unknown) => {
      if (error instanceof FetchError) return error.message;
      throw error;
    },
  );
  if (typeof fault !== 'string') return fault;
  const stored = (await memory?.load()) ?? null;
  const set = stored === null ? 'none stored' : readKeySet(stored.document, algorithms);
  const ageSeconds = stored === null ? 0 : Math.max(now - stored.fetchedAt, 0) / 1000;
  if (typeof set !== 'string' && ageSeconds < maxStaleSeconds) {
    return { set, source: `stored ${roughDuration(ageSeconds)} ago; they cannot be fetched now: ${fault}` };
  }
  return { code: 'keys_unavailable', why: `${quoted(url)}: ${fault}` };
}

interface OwnKey {
  readonly kid: string;
  readonly createdAt: number;
  readonly publicJwk: string;
  readonly retiresAt: number | null;
}

/** Those of ours that still verify. A token of ours names its key, whatever there is to choose from. */
export function ownKeysNow(keys: readonly OwnKey[], algorithms: readonly string[], now: number): KeysAtHand {
  const published = keys.filter(({ retiresAt }) => retiresAt === null || retiresAt > now);
  const set = readKeySet({ keys: published.map(({ publicJwk }) => JSON.parse(publicJwk)) }, algorithms);
  const source = 'from the database';
  if (typeof set === 'string') return { set: { keys: [], find: () => undefined }, source };
  const find: KeySet['find'] = (kid, algorithm) => (kid === undefined ? undefined : set.find(kid, algorithm));
  const createdAt = new Map(published.map((key) => [key.kid, key.createdAt]));
  const madeAt = (kid = '') => createdAt.get(kid);
  return { set: { keys: set.keys, find }, source, madeAt };
}

/** The very key that a token names, or the only one there is. */
export async function examineKey(
  header: TokenHeader | null,
  algorithm: Step,
  keysAtHand: () => Promise<KeysAtHand>,
  now: number,
) {
  if (header === null || algorithm.result !== 'pass') {
    return { step: skipped('key', 'no key is looked for with such a header'), key: null };
  }
  const keys = await keysAtHand();
  if ('code' in keys) {
    const step = failedStep('key', keys.code, {
      expected: 'the published keys of the issuer',
      found: keys.why,
      advice: `The keys of the issuer cannot be had (${keys.why}). "npx vestibule doctor" tells more.`,
    });
    return { step, key: null };
  }
  const key = keys.set.find(header.kid, header.algorithm);
  const names = keys.set.keys.map(({ kid }) => quoted(kid)).join(', ');
  if (key !== undefined) {
    const madeAt = keys.madeAt?.(header.kid);
    const age = madeAt === undefined ? '' : `, made ${roughDuration((now - madeAt) / 1000)} ago`;
    return { step: passed('key', `kid ${quoted(header.kid)}, ${keys.source}${age}`), key };
  }
  const step = failedStep('key', 'key_unknown', {
    expected: `one of kid ${names || '(none)'}, ${keys.source}`,
    found: `kid ${quoted(header.kid)} for ${header.algorithm}`,
    advice: keyCause(header, keys.set),
  });
  return { step, key: null };
}

function keyCause({ kid, algorithm }: TokenHeader, { keys }: Pick<KeySet, 'keys'>): string {
  if (kid === undefined) {
    return `The token names no key ("kid"), and with ${keys.length} published keys nobody can say which is meant.`;
  }
  const named = keys.find((key) => key.kid === kid);
  if (named !== undefined) {
    return `The key ${quoted(kid)} is for ${named.algorithms.join(', ')}, and the token says ${algorithm}.`;
  }
  return `The issuer publishes no usable key ${quoted(kid)}: it was rotated away, or the token comes from another environment of the provider. Sign in again.`;
}

export function examineSignature(
  token: CompactToken,
  header: TokenHeader | null,
  key: KeyObject | null,
): Step {
  if (key === null || header === null) return skipped('signature', 'there is no key to check it with');
  const code = signatureHolds(token, key, header.algorithm) ? null : 'signature_invalid';
  return judged('signature', code, 'holds', {
    expected: `one by the key ${quoted(header.kid)}`,
    found: 'another',
    advice:
      'The signature does not fit: the token was edited after it was signed, or signed with another key of the same name. Get a new one from the provider.',
  });
}
