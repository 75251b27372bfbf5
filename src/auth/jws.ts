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
import { type RunStep, untraced } from './trace.ts';

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

interface OpenOptions<Issuer> {
  readonly issuers: readonly Issuer[];
  /** Throws if the issuer does not sign this kind of JWS with such a `typ`. */
  readonly checkType?: (type: string | undefined, issuer: Issuer) => void;
  readonly findKey: FindKey<Issuer>;
  readonly signatures: Pick<SignatureQueue, 'run'>;
}

/** Opens a JWS of a trusted issuer: parse -> header -> issuer -> algorithm -> type -> key -> signature. */
export function createOpenSigned<Issuer extends Signer>(options: OpenOptions<Issuer>) {
  const { issuers, checkType, findKey, signatures } = options;
  const readSegment = headerReader(issuers.flatMap((issuer) => [...issuer.algorithms]));
  return async (text: string, origin: RequestOrigin, run: RunStep = untraced) => {
    const readTraced = (segment: string) => run('header', () => readSegment(segment), noHeader);
    const { header, unverifiedClaims, verify } = openJws(text, readTraced, signatures);
    const issuer = run(
      'issuer',
      () => chooseIssuer(issuers, unverifiedClaims.iss),
      issuers[0] as Awaited<Issuer>,
    );
    run('algorithm', () => checkAlgorithm(header, issuer), undefined);
    run('type', () => checkType?.(header.type, issuer), undefined);
    // Before the key: if the keys change meanwhile, the result is not cached as valid.
    const generation = issuer.keys.generation();
    const found = run('key', () => existing(findKey(issuer, header, unverifiedClaims, text)), undefined);
    const key = found instanceof Promise ? await found : found;
    const claims = await run('signature', () => verify(() => key, origin), unverifiedClaims);
    return { issuer, header, generation, claims };
  };
}

const noHeader: TokenHeader = { algorithm: '', kid: undefined, type: undefined };

function checkAlgorithm({ algorithm }: TokenHeader, { algorithms }: Signer): void {
  if (!algorithms.has(algorithm)) throw new Refusal('algorithm_not_allowed');
}

function existing(found: ReturnType<KeySource['find']>): ReturnType<KeySource['find']> {
  if (found instanceof Promise) return found.then(existing);
  if (found === undefined) throw new Refusal('key_unknown');
  return found;
}
