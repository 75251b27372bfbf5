import type { VerifiedClaims } from '../../base/caller.ts';
import { roughDuration } from '../../base/duration.ts';
import { Refusal } from '../../base/errors.ts';
import { quoted } from '../../base/finding.ts';
import type { JsonObject } from '../../base/json-object.ts';
import type { IssuerSettingNames } from '../../base/provider-rules.ts';
import { admitKey } from '../key-policy.ts';
import { type KeySet, readKeySet } from '../key-set.ts';
import { FetchError, fetchDocument } from '../provider-fetch.ts';
import type { KeySetMemory } from '../stored-key-set.ts';
import type { TrustedIssuer } from '../verifier.ts';

/** The rules of an issuer, and how to name it and its settings to the operator. */
export interface NamedRules extends Omit<TrustedIssuer, 'keys'> {
  /** "the provider", one of several by its name, or "this service". */
  readonly who: string;
  /** Providers have `jwksPath`; our own keys are in the database. */
  readonly settings: IssuerSettingNames & { readonly jwksPath?: string };
}

/** A caller as the database has it; or why nothing is known. */
export type CallerNow =
  | { readonly pseudonym: string | null; readonly registeredAt: number | null }
  | { readonly unknown: string };

/** What a trace is described with. The token itself is never shown. */
export interface TraceContext {
  readonly text: string;
  readonly issuers: readonly [NamedRules, ...NamedRules[]];
  /** The first one stands in for an unknown issuer, so that there is more to tell. */
  readonly issuer: NamedRules;
  readonly nowSeconds: number;
  /** Null for an opaque token; {} if it cannot be read. */
  readonly header: JsonObject | null;
  readonly claims: JsonObject;
  readonly verified: VerifiedClaims | null;
  readonly keys: KeysNow | null;
  readonly caller: CallerNow | null;
}

/** A member of a token that may be shown: a text or a list of texts. */
export function shown(value: unknown): string {
  if (value === undefined) return 'none';
  const isText = (entry: unknown) => typeof entry === 'string';
  const isShowable = isText(value) || (Array.isArray(value) && value.every(isText));
  return isShowable ? quoted(value) : 'no text (not shown)';
}

export function shownTime(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? 'no date' : date.toISOString();
}

/** The claims that all access tokens of this provider have. */
export function requiredShown({ claims: { requiredClaims } }: NamedRules): string {
  const each = ([name, text]: [string, string | true]) =>
    text === true ? `${name}, whatever it says` : `${name} ${quoted(text)}`;
  return Object.entries(requiredClaims).map(each).join(', ');
}

/** The keys of an issuer as they are now, and where they come from. */
export interface KeysNow {
  readonly set: Pick<KeySet, 'keys' | 'find'> & Partial<Pick<KeySet, 'alarms'>>;
  readonly source: string;
  /** The published keys that are not used, with the reason. */
  readonly leftOut?: readonly string[];
  /** When a key was made, if that is known. */
  readonly madeAt?: (kid: string | undefined) => number | undefined;
}

interface ProviderKeysOptions {
  readonly url: string;
  readonly algorithms: readonly string[];
  readonly maxStaleSeconds: number;
  /** Null where only the keys that are published now count. */
  readonly memory: Pick<KeySetMemory, 'load'> | null;
  readonly now: number;
}

/** Fetched now; if that fails, the stored ones that a restart would begin with. */
export async function providerKeysNow(options: ProviderKeysOptions): Promise<KeysNow> {
  const { url, algorithms, maxStaleSeconds, memory, now } = options;
  const fetched = await fetchDocument(url, new AbortController().signal).then(
    ({ document }) => ({ document, set: readKeySet(document, algorithms) }),
    (error: unknown) => {
      if (error instanceof FetchError) return { document: null, set: error.message };
      throw error;
    },
  );
  if (typeof fetched.set !== 'string') {
    const leftOut = unusedKeys(fetched.document, algorithms);
    const source = `fetched from ${quoted(url)} just now, ${fetched.set.keys.length} usable`;
    return { set: fetched.set, source, leftOut };
  }
  const stored = (await memory?.load()) ?? null;
  const set = stored === null ? 'none stored' : readKeySet(stored.document, algorithms);
  const ageSeconds = Math.max(now - (stored?.fetchedAt ?? 0), 0) / 1000;
  if (typeof set === 'string' || ageSeconds >= maxStaleSeconds)
    throw new Refusal('keys_unavailable', { detail: `${quoted(url)}: ${fetched.set}` });
  const source = `stored ${roughDuration(ageSeconds)} ago; they cannot be fetched now: ${fetched.set}`;
  return { set, source };
}

function unusedKeys(document: unknown, algorithms: readonly string[]): readonly string[] {
  return (document as { keys: unknown[] }).keys.flatMap((jwk) => {
    const fault = admitKey(jwk, algorithms);
    return typeof fault === 'string' ? [`${quoted((jwk as { kid?: unknown } | null)?.kid)} (${fault})`] : [];
  });
}

/** Our own keys that still verify. Our tokens always name their key. */
export function ownKeysNow(
  keys: readonly { kid: string; createdAt: number; publicJwk: string; retiresAt: number | null }[],
  algorithms: readonly string[],
  now: number,
): KeysNow {
  const published = keys.filter(({ retiresAt }) => retiresAt === null || retiresAt > now);
  const read = readKeySet({ keys: published.map(({ publicJwk }) => JSON.parse(publicJwk)) }, algorithms);
  const set = typeof read === 'string' ? { keys: [], find: () => undefined } : read;
  const find: KeySet['find'] = (kid, algorithm) => (kid === undefined ? undefined : set.find(kid, algorithm));
  const madeAt = (name = '') => published.find(({ kid }) => kid === name)?.createdAt;
  return { set: { keys: set.keys, find }, source: 'from the database', madeAt };
}
