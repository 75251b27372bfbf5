import { Buffer, isUtf8 } from 'node:buffer';
import { constants, type KeyObject, type VerifyKeyObjectInput, verify } from 'node:crypto';
import type { RequestOrigin, Verification } from '../base/caller.ts';
import { Refusal } from '../base/errors.ts';
import type { SignatureAlgorithm } from '../base/provider-rules.ts';
import { rememberLast } from '../base/recent-map.ts';
import { isJsonObject, type JsonObject } from '../base/strict-json.ts';
import type { SignatureQueue } from './signature-queue.ts';
import { type RunStep, untraced } from './trace.ts';

/** The longest token that is read. A usual one has one or two thousand bytes. */
export const maxTokenBytes = 8192;

/** Splits a compact JWS, without any cryptography: garbage must cost next to nothing. */
export function parseCompact(text: string) {
  if (text.length > maxTokenBytes) throw new Refusal('token_too_large');
  const headerEnd = text.indexOf('.');
  const payloadEnd = text.indexOf('.', headerEnd + 1);
  // A third dot is part of the signature, where `decode` refuses it.
  if (payloadEnd === -1) throw new Refusal('token_malformed');
  const signed = Buffer.from(text.slice(0, payloadEnd));
  return {
    // In base64url. From the bytes, because it is cached: a slice of a text keeps the whole token in memory.
    header: signed.toString('latin1', 0, headerEnd),
    unverifiedPayload: jsonObject(text.slice(headerEnd + 1, payloadEnd)),
    signed,
    signature: decode(text.slice(payloadEnd + 1)),
  };
}

export function jsonObject(segment: string): JsonObject {
  const bytes = decode(segment);
  let value: unknown;
  try {
    value = isUtf8(bytes) ? JSON.parse(bytes.toString('utf8')) : null;
  } catch {
    throw new Refusal('token_malformed');
  }
  if (!isJsonObject(value)) throw new Refusal('token_malformed');
  return value;
}

/** Strict, unlike Node: accepts only the one spelling of the bytes. */
function decode(segment: string): Buffer {
  const bytes = Buffer.from(segment, 'base64url');
  if (segment === '' || bytes.toString('base64url') !== segment) throw new Refusal('token_malformed');
  return bytes;
}

export interface TokenHeader {
  readonly algorithm: string;
  readonly kid: string | undefined;
  /** `typ` in lower case without `application/`; undefined when absent. */
  readonly type: string | undefined;
}

const longestKid = 512;

/** Reads header segments; most tokens of an issuer have the same one. `jku`, `x5u`, `jwk` and `x5c` are never used. */
export function headerReader(algorithms: Iterable<string>): (segment: string) => TokenHeader {
  const allowed = new Set(algorithms);
  return rememberLast((segment) => {
    const { alg, kid, typ, crit, b64 } = jsonObject(segment);
    if (typeof alg !== 'string' || !allowed.has(alg)) throw new Refusal('algorithm_not_allowed');
    // With `b64` (RFC 7797) the payload is not base64url, even if `crit` does not list it.
    if (crit !== undefined || b64 !== undefined) throw new Refusal('header_not_supported');
    if (kid !== undefined && (typeof kid !== 'string' || kid.length > longestKid))
      throw new Refusal('token_malformed');
    if (typ !== undefined && typeof typ !== 'string') throw new Refusal('token_type_not_allowed');
    return { algorithm: alg, kid, type: typ?.toLowerCase().replace(/^application\//, '') };
  });
}

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

type FoundKey = KeyObject | undefined | Promise<KeyObject | undefined>;

/** The keys of one issuer: a provider's published set, or our own. */
export interface KeySource {
  /** Undefined if no key fits; rejects with `keys_unavailable` if unknown. Fetches only for a token that `looksRight` otherwise. */
  find(kid: string | undefined, algorithm: string, looksRight: () => boolean): FoundKey;
  /** Changes with the keys; null while none may be used. A cached token counts only with the generation that verified it. */
  readonly generation: number | null;
}

/** An issuer with its own keys, which never verify the tokens of another. */
export interface SigningIssuer {
  readonly keys: KeySource;
  readonly algorithms: ReadonlySet<string>;
  readonly claims: { readonly issuers: readonly string[] };
}

interface OpenSignedOptions<Issuer, Claims> {
  readonly issuers: readonly Issuer[];
  /** Throws if the issuer does not sign this kind of JWS with such a `typ`. */
  readonly checkType?: (type: string | undefined, issuer: Issuer) => void;
  readonly findKey: (issuer: Issuer, header: TokenHeader, looksRight: () => boolean) => FoundKey;
  /** Throws or returns what the claims say. Before the signature it decides whether a key is fetched, nothing else. */
  readonly check: (payload: JsonObject, issuer: Issuer, header: TokenHeader, run: RunStep) => Claims;
  readonly signatures: Pick<SignatureQueue, 'run'>;
}

/** Opens a JWS of a trusted issuer: parse -> header -> issuer -> algorithm -> type -> key -> signature -> claims. */
export function createOpenSigned<Issuer extends SigningIssuer, Claims>(
  options: OpenSignedOptions<Issuer, Claims>,
) {
  const { issuers, checkType, findKey, check, signatures } = options;
  const readSegment = headerReader(issuers.flatMap((issuer) => [...issuer.algorithms]));
  return async (text: string, origin: RequestOrigin, run: RunStep = untraced) => {
    const readTraced = (segment: string) => run('header', () => readSegment(segment), noHeader);
    const { header, unverifiedClaims, verify } = openJws(text, readTraced, signatures);
    const { iss } = unverifiedClaims;
    const issuer = run('issuer', () => chooseIssuer(issuers, iss), issuers[0] as Awaited<Issuer>);
    run('algorithm', () => checkAlgorithm(header, issuer), undefined);
    run('type', () => checkType?.(header.type, issuer), undefined);
    const looksRight = () => succeeds(() => check(unverifiedClaims, issuer, header, untraced));
    const find = () => existing(findKey(issuer, header, looksRight));
    // Read before the key: if the keys change meanwhile, the result is not cached as valid.
    let { generation } = issuer.keys;
    let found = run('key', find, undefined);
    if (found instanceof Promise && (await found) !== undefined) {
      // The keys may have been fetched for this token: then the newer keys verify it.
      ({ generation } = issuer.keys);
      found = find();
    }
    const key = found instanceof Promise ? await found : found;
    const payload = await run('signature', () => verify(() => key, origin), unverifiedClaims);
    const verification: Verification = { keys: issuer.keys, generation };
    return { issuer, payload, claims: check(payload, issuer, header, run), verification };
  };
}

function succeeds(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}

const noHeader: TokenHeader = { algorithm: '', kid: undefined, type: undefined };

/** The unverified `iss` chooses the issuer, by an exact match. */
export function chooseIssuer<Issuer extends SigningIssuer>(issuers: readonly Issuer[], iss: unknown): Issuer {
  const chosen = typeof iss === 'string' && issuers.find(({ claims }) => claims.issuers.includes(iss));
  if (!chosen) throw new Refusal('issuer_mismatch');
  return chosen;
}

function checkAlgorithm({ algorithm }: TokenHeader, { algorithms }: SigningIssuer): void {
  if (!algorithms.has(algorithm)) throw new Refusal('algorithm_not_allowed');
}

function existing(found: FoundKey): FoundKey {
  if (found instanceof Promise) return found.then(existing);
  if (found === undefined) throw new Refusal('key_unknown');
  return found;
}

interface Scheme {
  readonly hash: string | null;
  /** A key in the form that Node wants for this algorithm. */
  readonly keyed: (key: KeyObject) => KeyObject | VerifyKeyObjectInput;
}

/** Node uses PKCS #1 v1.5 for an RSA key unless told otherwise. */
const plain = (key: KeyObject) => key;
const pss = (key: KeyObject) => ({
  key,
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
});
const ecdsa = (key: KeyObject) => ({ key, dsaEncoding: 'ieee-p1363' as const });

/** Names of RFC 7518 section 3 and RFC 8037, mapped to Node's names. */
const known: Readonly<Record<SignatureAlgorithm, Scheme>> = {
  RS256: { hash: 'sha256', keyed: plain },
  RS384: { hash: 'sha384', keyed: plain },
  RS512: { hash: 'sha512', keyed: plain },
  PS256: { hash: 'sha256', keyed: pss },
  PS384: { hash: 'sha384', keyed: pss },
  PS512: { hash: 'sha512', keyed: pss },
  ES256: { hash: 'sha256', keyed: ecdsa },
  ES384: { hash: 'sha384', keyed: ecdsa },
  ES512: { hash: 'sha512', keyed: ecdsa },
  EdDSA: { hash: null, keyed: plain },
  // The same algorithm with the curve in its name (RFC 9864).
  Ed25519: { hash: null, keyed: plain },
};
const schemes: Readonly<Record<string, Scheme>> = known;

interface Signed {
  readonly signed: Buffer;
  readonly signature: Buffer;
}

function signatureHolds(token: Signed, key: KeyObject, algorithm: string): boolean {
  const scheme = schemes[algorithm];
  try {
    return scheme !== undefined && verify(scheme.hash, token.signed, scheme.keyed(key), token.signature);
  } catch {
    // The signature has the wrong form for this kind of key.
    return false;
  }
}
