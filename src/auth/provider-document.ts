import { hash } from 'node:crypto';
import { Refusal } from '../base/errors.ts';
import type { JsonObject } from '../base/json-object.ts';
import { RecentMap } from '../base/recent-map.ts';
import type { RequestOrigin } from '../base/request-origin.ts';
import type { TokenHeader } from './header.ts';
import type { KeySource } from './issuers.ts';
import { createOpenSigned, type Signer } from './jws.ts';
import type { SignatureQueue } from './signature-queue.ts';

/** More documents than wait for a new key at any provider. A forgotten one is put off once more. */
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

/** A provider that signs logout tokens. */
export interface DocumentSource extends Signer {
  readonly keys: PublishedKeys;
}

/**
 * Checks the claims of one kind of document; `type` is `typ` in lower case. Also runs before the signature is checked, to
 * decide whether a key is worth fetching; that result goes nowhere.
 */
type Check<Source, Said> = (claims: JsonObject, source: Source, type: string | undefined) => Said;

/**
 * Opens documents of providers with the keys, the guard against invented key names and the queue of access tokens.
 *
 * Providers do not send a refused document again. So one with an unknown key gets `keys_unavailable` until the keys
 * were fetched after its first arrival. It is refused if the key is still unknown then.
 */
export function createOpenDocument<Source extends DocumentSource, Said>(
  sources: readonly Source[],
  check: Check<Source, Said>,
  signatures: SignatureQueue,
) {
  /** How many fetches had begun when a document first arrived, by its digest. */
  const firstArrivals = new RecentMap<string, number>(mostPutOff);

  const findKey = async (
    source: Source,
    { kid, algorithm, type }: TokenHeader,
    claims: JsonObject,
    text: string,
  ) => {
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
    if (key !== undefined) return key;
    const digest = hash('sha256', text, 'base64url');
    const cameAfter = firstArrivals.get(digest) ?? fetchesBegun;
    const retryAfterSeconds = source.keys.secondsUntilTold(kid, cameAfter);
    if (retryAfterSeconds === null || !looksRight()) return undefined;
    firstArrivals.set(digest, cameAfter);
    const detail = 'a document names a key that is not known yet';
    throw new Refusal('keys_unavailable', { detail, retryAfterSeconds });
  };
  const open = createOpenSigned({ issuers: sources, findKey, signatures });

  return async (text: string, origin: RequestOrigin): Promise<{ source: Source; said: Said }> => {
    const { issuer: source, header, claims } = await open(text, origin);
    return { source, said: check(claims, source, header.type) };
  };
}
