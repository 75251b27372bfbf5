import { hash } from 'node:crypto';
import { Refusal } from '../base/errors.ts';
import type { JsonObject } from '../base/json-object.ts';
import { RecentMap } from '../base/recent-map.ts';
import type { RequestOrigin } from '../base/request-origin.ts';
import { jsonObject, parseCompact } from './compact.ts';
import { readHeader } from './header.ts';
import { chooseIssuer, type KeySource } from './issuers.ts';
import { signatureHolds } from './signature.ts';
import type { SignatureQueue } from './signature-queue.ts';

/** More documents than wait for a new key at any provider; past that one is put off once more than it need be. */
const mostPutOff = 10_000;

/** The keys of a provider, and how far it is known which there are. */
interface PublishedKeys extends KeySource {
  readonly fetchesBegun: number;
  /**
   * In how many seconds it is worth asking again whether there is a key of that name; null when nothing is left to be
   * told: it is there, or it is not in what was fetched since so many fetches had begun.
   */
  secondsUntilTold(kid: string | undefined, fetchesBegun: number): number | null;
}

/** Whoever signs documents that are no access tokens: a provider that tells of sessions. */
export interface DocumentSource {
  readonly keys: PublishedKeys;
  readonly algorithms: ReadonlySet<string>;
  readonly claims: { readonly issuers: readonly string[] };
}

/**
 * The check of one kind of document. `type` is its `typ` in small letters, undefined where it has none; the check throws
 * when the claims do not do. It is also asked before the signature holds, to decide whether a key is worth fetching; what
 * it says then goes nowhere.
 */
type Check<Source, Said> = (claims: JsonObject, source: Source, type: string | undefined) => Said;

/**
 * parse -> header -> issuer -> key -> signature -> claims, as for access tokens (auth/verifier), with the same keys, the
 * same guard against invented key names and the same turns for signatures. Answers with what `check` makes of the claims.
 *
 * Nobody sends a document again that was refused. So one whose key is not known is put off (`keys_unavailable`) until the
 * keys were fetched after it came for the first time; only then it is refused, if that key is still not among them.
 */
export function createOpenDocument<Source extends DocumentSource, Said>(
  sources: readonly Source[],
  check: Check<Source, Said>,
  signatures: SignatureQueue,
) {
  const algorithms = new Set(sources.flatMap((source) => [...source.algorithms]));
  /** How many fetches had begun when a document came for the first time, by its digest. */
  const putOff = new RecentMap<string, number>(mostPutOff);

  return async (text: string, origin: RequestOrigin): Promise<{ source: Source; said: Said }> => {
    const token = parseCompact(text);
    const { kid, algorithm, type } = readHeader(jsonObject(token.header), algorithms);
    const { unverifiedPayload: claims } = token;
    const source = chooseIssuer(sources, claims.iss);
    if (!source.algorithms.has(algorithm)) throw new Refusal('algorithm_not_allowed');
    const looksRight = () => {
      try {
        check(claims, source, type);
        return true;
      } catch {
        return false;
      }
    };
    const { fetchesBegun } = source.keys;
    const key = await source.keys.find(kid, algorithm, looksRight);
    if (key === undefined) {
      const digest = hash('sha256', text, 'base64url');
      const cameAfter = putOff.get(digest) ?? fetchesBegun;
      const retryAfterSeconds = source.keys.secondsUntilTold(kid, cameAfter);
      if (retryAfterSeconds === null || !looksRight()) throw new Refusal('key_unknown');
      putOff.set(digest, cameAfter);
      const detail = 'a document names a key that is not known yet';
      throw new Refusal('keys_unavailable', { detail, retryAfterSeconds });
    }
    const holds = await signatures.run(() => signatureHolds(token, key, algorithm), origin);
    if (!holds) throw new Refusal('signature_invalid');
    return { source, said: check(claims, source, type) };
  };
}
