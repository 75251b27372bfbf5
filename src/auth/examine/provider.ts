import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json-object.ts';
import { admitKey, isAlarming, type KeyFault } from '../key-policy.ts';
import { readKeySet } from '../key-set.ts';
import { FetchError, type FetchFault, fetchDocument } from '../provider-fetch.ts';

/** A document that could not be had. */
export interface Missing {
  readonly fault: FetchFault;
  readonly detail: string;
}

export type ExaminedProvider = Awaited<ReturnType<typeof examineProvider>>;
export type PublishedKeys = Exclude<ExaminedProvider['keys'], Missing>;

interface Provider {
  readonly discoveryUrl: string;
  readonly jwksUrl: string;
  readonly algorithms: readonly string[];
  readonly clock: Clock;
}

/** A provider as it answers now. All questions at once: each has a deadline of its own. */
export async function examineProvider({ discoveryUrl, jwksUrl, algorithms, clock }: Provider) {
  const [discovery, keys, aheadSeconds] = await Promise.all([
    had(discoveryUrl, (document) => ({ document: document as JsonObject })),
    had(jwksUrl, (document) => publishedKeys(document, algorithms)),
    clockAhead(jwksUrl, clock),
  ]);
  return { discovery, keys, aheadSeconds };
}

async function had<T>(url: string, read: (document: unknown) => T | Missing): Promise<T | Missing> {
  try {
    const { document } = await fetchDocument(url, new AbortController().signal);
    if (typeof document !== 'object' || document === null) {
      return { fault: 'not_json', detail: 'the answer is no JSON object' };
    }
    return read(document);
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    return { fault: error.fault, detail: error.message };
  }
}

function publishedKeys(document: unknown, algorithms: readonly string[]) {
  const set = readKeySet(document, algorithms);
  if (typeof set === 'string') return { fault: 'no_usable_keys', detail: set } as Missing;
  const published = (document as { keys: unknown[] }).keys;
  const leftOut = published.flatMap((jwk) => {
    const kid = nameOf(jwk);
    const verdict = admitKey(jwk, algorithms);
    const isUsed =
      typeof verdict !== 'string' && set.keys.some(({ fingerprint }) => fingerprint === verdict.fingerprint);
    if (isUsed) return [];
    const fault: KeyFault = typeof verdict === 'string' ? verdict : 'kid_duplicate';
    return [{ kid, fault, isAlarming: isAlarming(fault) }];
  });
  const usable = set.keys.map(({ kid, algorithms: fitting }) => ({ kid: kid ?? null, algorithms: fitting }));
  return { usable, leftOut };
}

function nameOf(jwk: unknown): string | null {
  const kid = (jwk as { kid?: unknown } | null)?.kid;
  return typeof kid === 'string' ? kid : null;
}

const clockDeadlineMs = 5_000;

/**
 * How far its clock is ahead of ours; null when it does not say. By the Date of an answer, whatever else it says. It has
 * whole seconds, and a cache says how old it is.
 */
async function clockAhead(url: string, clock: Clock): Promise<number | null> {
  try {
    const sentAt = clock.now();
    const response = await fetch(url, {
      signal: AbortSignal.timeout(clockDeadlineMs),
      redirect: 'manual',
      cache: 'no-store',
    });
    const receivedAt = clock.now();
    await response.body?.cancel();
    const ageMs = Number(response.headers.get('age') ?? 0) * 1000;
    const theirs =
      Date.parse(response.headers.get('date') ?? '') + (Number.isFinite(ageMs) ? ageMs : 0) + 500;
    const ours = (sentAt + receivedAt) / 2;
    return Number.isNaN(theirs) ? null : (theirs - ours) / 1000;
  } catch {
    return null;
  }
}
