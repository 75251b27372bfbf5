import { admitKey, type KeySet, readKeySet } from '../../auth/key-set.ts';
import { FetchError, type FetchedDocument, fetchDocument } from '../../auth/provider-fetch.ts';
import type { StoredKeySet } from '../../auth/stored-key-set.ts';
import type { TrustedIssuer } from '../../auth/verifier.ts';
import type { VerifiedClaims } from '../../base/caller.ts';
import { roughDuration } from '../../base/duration.ts';
import { Refusal } from '../../base/errors.ts';
import { quoted } from '../../base/finding.ts';
import type { IssuerSettingNames } from '../../base/provider-rules.ts';
import { isJsonObject, type JsonObject } from '../../base/strict-json.ts';
import { signingAlgorithms } from '../../config/settings.ts';
import type { SigningKeyRecord } from '../../storage/port.ts';

/** A trusted issuer, with the names that messages to the operator use for it and for its settings. */
export interface ExaminedIssuer extends Omit<TrustedIssuer, 'keys'> {
  /** "the provider", the name of one of several providers, or "this service". */
  readonly who: string;
  /** Providers have `jwksPath`; our own keys are in the database. */
  readonly settings: IssuerSettingNames & { readonly jwksPath?: string };
  /** Rejects with a refusal if there are no usable keys. */
  readonly keysNow: () => Promise<KeysNow>;
}

export interface CallerNow {
  readonly found: string;
  /** False if the database did not answer. */
  readonly isKnown: boolean;
  readonly pseudonym: string | null;
  readonly refusal: Refusal | null;
}

/** The data that a trace is described with. The token itself is never shown. */
export interface TraceContext {
  readonly text: string;
  readonly issuers: readonly [ExaminedIssuer, ...ExaminedIssuer[]];
  /** The first issuer stands in for an unknown one, so that more steps can be explained. */
  readonly issuer: ExaminedIssuer;
  readonly nowSeconds: number;
  /** {} if it cannot be read. */
  readonly header: JsonObject;
  readonly claims: JsonObject;
  readonly verified: VerifiedClaims | null;
  readonly keys: KeysNow | null;
  /** Null if the token names no caller. */
  readonly caller: CallerNow | null;
}

export interface KeysNow {
  readonly set: Pick<KeySet, 'keys' | 'find'> & Partial<Pick<KeySet, 'alarms'>>;
  /** Where the keys come from, and which are left out. */
  readonly source: string;
  /** When a key was made, if that is known. */
  readonly madeAt?: (kid: string | undefined) => number | undefined;
}

/** Fetches the keys now. If that fails, returns the stored ones that a restart would use. */
export async function providerKeysNow(
  url: string,
  algorithms: readonly string[],
  stored: StoredKeySet | null,
  maxStaleSeconds: number,
  now: number,
): Promise<KeysNow> {
  const fetched = await fetchNow(url);
  const isFetched = !(fetched instanceof FetchError);
  const read = isFetched ? readKeySet(fetched.document, algorithms) : fetched.message;
  const unused = isFetched ? unusedKeys(fetched.document, algorithms) : [];
  if (typeof read !== 'string') {
    const leftOut = unused.map(({ kid, fault }) => `${quoted(kid)} (${fault})`).join(', ');
    const source = `fetched from ${quoted(url)} just now, ${read.keys.length} usable`;
    return { set: read, source: leftOut === '' ? source : `${source}; left out: ${leftOut}` };
  }
  const set = stored === null ? 'none stored' : readKeySet(stored.document, algorithms);
  const ageSeconds = Math.max(now - (stored?.fetchedAt ?? 0), 0) / 1000;
  if (typeof set !== 'string' && ageSeconds < maxStaleSeconds)
    return { set, source: `stored ${roughDuration(ageSeconds)} ago; they cannot be fetched now: ${read}` };
  const notAllowed = unused.find(({ fault }) => fault === 'algorithm_not_allowed')?.fault;
  throw new Refusal('keys_unavailable', {
    detail: `${quoted(url)}: ${read}`,
    fault: isFetched ? notAllowed : fetched.reason,
  });
}

/** A failed fetch is a result: a command shows it. */
export function fetchNow(url: string): Promise<FetchedDocument | FetchError> {
  return fetchDocument(url, new AbortController().signal).catch((error: unknown) => {
    if (error instanceof FetchError) return error;
    throw error;
  });
}

function unusedKeys(document: unknown, algorithms: readonly string[]) {
  const keys: readonly unknown[] =
    isJsonObject(document) && Array.isArray(document.keys) ? document.keys : [];
  return keys.flatMap((jwk) => {
    const fault = admitKey(jwk, algorithms);
    return typeof fault === 'string' ? [{ kid: (jwk as { kid?: unknown } | null)?.kid, fault }] : [];
  });
}

/** Our own keys that still verify. Our tokens always name their key. */
export function ownKeysNow(keys: readonly SigningKeyRecord[], now: number): KeysNow {
  const published = keys.filter(({ retiresAt }) => retiresAt === null || retiresAt > now);
  const read = readKeySet(
    { keys: published.map(({ publicJwk }) => JSON.parse(publicJwk)) },
    signingAlgorithms,
  );
  const set = typeof read === 'string' ? { keys: [], find: () => undefined } : read;
  return {
    set: {
      keys: set.keys,
      find: (kid, algorithm) => (kid === undefined ? undefined : set.find(kid, algorithm)),
    },
    source: 'from the database',
    madeAt: (name) => published.find(({ kid }) => kid === name)?.createdAt,
  };
}
