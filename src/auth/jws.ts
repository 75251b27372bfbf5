import type { KeyObject } from 'node:crypto';
import { Refusal } from '../base/errors.ts';
import type { JsonObject } from '../base/json-object.ts';
import { rememberLast } from '../base/remember-last.ts';
import type { RequestOrigin } from '../base/request-origin.ts';
import { jsonObject, parseCompact } from './compact.ts';
import { readHeader, type TokenHeader } from './header.ts';
import { chooseIssuer, type KeySource } from './issuers.ts';
import { signatureHolds } from './signature.ts';
import type { SignatureQueue } from './signature-queue.ts';

/**
 * Opens a compact JWS: access tokens, logout tokens, client assertions and DPoP proofs. The caller chooses the key by the
 * header and the unverified claims. The claims count once `verify` resolves.
 */
export function openJws<Header extends { readonly algorithm: string }>(
  text: string,
  readSegment: (segment: string) => Header,
  signatures: Pick<SignatureQueue, 'run'>,
) {
  const token = parseCompact(text);
  const header = readSegment(token.header);
  return {
    segment: token.header,
    header,
    unverifiedClaims: token.unverifiedPayload,
    /** Resolves with the claims if the signature holds. The key is read in the queue: that may take as long as the check. */
    async verify(keyOf: () => KeyObject | undefined, origin: RequestOrigin): Promise<JsonObject> {
      const holds = await signatures.run(() => {
        const key = keyOf();
        return key !== undefined && signatureHolds(token, key, header.algorithm);
      }, origin);
      if (!holds) throw new Refusal('signature_invalid');
      return token.unverifiedPayload;
    },
  };
}

/** Reads header segments; most tokens of an issuer have the same one. */
export function headerReader(algorithms: Iterable<string>): (segment: string) => TokenHeader {
  const allowed = new Set(algorithms);
  return rememberLast((segment) => readHeader(jsonObject(segment), allowed));
}

/** An issuer as far as signatures go. */
export interface Signer {
  readonly keys: KeySource;
  readonly algorithms: ReadonlySet<string>;
  readonly claims: { readonly issuers: readonly string[] };
}

/** Undefined if the issuer has no such key. The claims are unverified: they decide whether a key is fetched, nothing else. */
type FindKey<Issuer> = (
  issuer: Issuer,
  header: TokenHeader,
  unverifiedClaims: JsonObject,
  text: string,
) => ReturnType<KeySource['find']>;

/** Opens a JWS of a trusted issuer: parse -> header -> issuer -> key -> signature. */
export function createOpenSigned<Issuer extends Signer>(
  issuers: readonly Issuer[],
  findKey: FindKey<Issuer>,
  signatures: SignatureQueue,
) {
  const readSegment = headerReader(issuers.flatMap((issuer) => [...issuer.algorithms]));
  return async (text: string, origin: RequestOrigin) => {
    const { header, unverifiedClaims, verify } = openJws(text, readSegment, signatures);
    const issuer = chooseIssuer(issuers, unverifiedClaims.iss);
    if (!issuer.algorithms.has(header.algorithm)) throw new Refusal('algorithm_not_allowed');
    // Before the key: if the keys change meanwhile, the result is not cached as valid.
    const generation = issuer.keys.generation();
    const found = findKey(issuer, header, unverifiedClaims, text);
    const key = found instanceof Promise ? await found : found;
    if (key === undefined) throw new Refusal('key_unknown');
    return { issuer, header, generation, claims: await verify(() => key, origin) };
  };
}
