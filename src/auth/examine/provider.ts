import type { Clock } from '../../base/clock.ts';
import { isJsonObject, type JsonObject } from '../../base/json-object.ts';
import { FetchError, fetchDocument } from '../provider-fetch.ts';
import type { Step } from './steps.ts';
import { type ExaminedIssuer, examineToken } from './token.ts';

/** A provider as it answers now. All requests at once: each has a deadline of its own. */
export async function examineProvider(
  issuer: ExaminedIssuer,
  { discoveryUrl, jwksUrl }: { readonly discoveryUrl: string; readonly jwksUrl: string },
  clock: Clock,
) {
  const fetched = issuer.keysNow();
  const [discovery, aheadSeconds, keys] = await Promise.all([
    fetchDiscovery(discoveryUrl),
    clockAhead(jwksUrl, clock),
    fetched.catch(() => null),
  ]);
  const document = discovery instanceof FetchError ? {} : discovery;
  const sample = sampleToken(document, issuer, keys?.set.keys ?? []);
  const callerNow = async () => ({ unknown: 'the token is a sample', refusal: null });
  const issuers = [{ ...issuer, keysNow: () => fetched }] as const;
  const { steps } = await examineToken(sample, { issuers, maxHeaderBytes: sample.length, callerNow, clock });
  const stepOf = (name: string) => steps.find((step) => step.name === name) as Step;
  const header = stepOf('header');
  return {
    discovery,
    aheadSeconds,
    keys,
    issuer: stepOf('issuer'),
    algorithm: header.result === 'fail' ? header : stepOf('algorithm'),
    key: stepOf('key'),
  };
}

/** The token that the provider would issue by its discovery document and its keys, with a dummy for the signature. */
function sampleToken(
  { issuer: iss, id_token_signing_alg_values_supported: announced }: JsonObject,
  { algorithms }: ExaminedIssuer,
  keys: readonly { readonly kid: string | undefined; readonly algorithms: readonly string[] }[],
): string {
  const signing: readonly unknown[] = Array.isArray(announced) ? announced : [...algorithms];
  const usable = keys.flatMap((key) => key.algorithms.map((alg) => ({ alg, kid: key.kid })));
  const allowed = signing.find((alg) => typeof alg === 'string' && algorithms.has(alg));
  const header = usable.find(({ alg }) => signing.includes(alg)) ?? {
    alg: allowed ?? signing[0],
    kid: keys[0]?.kid,
  };
  const parts = [JSON.stringify(header), JSON.stringify({ iss }), 'dummy'];
  return parts.map((part) => Buffer.from(part).toString('base64url')).join('.');
}

async function fetchDiscovery(url: string): Promise<JsonObject | FetchError> {
  try {
    const { document } = await fetchDocument(url, new AbortController().signal);
    return isJsonObject(document) ? document : new FetchError('not_json', 'the answer is no JSON object');
  } catch (error) {
    if (error instanceof FetchError) return error;
    throw error;
  }
}

const clockDeadlineMs = 5_000;

/**
 * By how many seconds the clock of the provider is ahead of ours, by the Date header; null without one. The header has
 * whole seconds, and a cache says how old the answer is.
 */
async function clockAhead(url: string, clock: Clock): Promise<number | null> {
  try {
    const sentAt = clock.now();
    const signal = AbortSignal.timeout(clockDeadlineMs);
    const response = await fetch(url, { signal, redirect: 'manual', cache: 'no-store' });
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
