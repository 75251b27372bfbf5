import { createHmac } from 'node:crypto';
import type { RequestOrigin } from '../../base/caller.ts';
import { clockToleranceSeconds } from '../../base/clock.ts';
import { type ErrorCode, Refusal } from '../../base/errors.ts';
import type { JsonObject } from '../../base/strict-json.ts';
import { openJws } from '../jws.ts';
import type { SignatureQueue } from '../signature-queue.ts';
import { invalidProof, type ProofFault, ProofKeys } from './proof-keys.ts';

/** Tolerated difference between the `iat` of a proof and our clock, either way: the clocks of browsers are often wrong. */
export const proofWindowSeconds = 60;
const longestJti = 512;

export interface ProvenRequest {
  readonly method: string;
  /** The URL as clients know it, without query and fragment. */
  readonly uri: string;
  /** The SHA-256 of the access token in the request, in base64url; null without one. */
  readonly tokenDigest: string | null;
  /** The key that the token is bound to; null for any key. */
  readonly thumbprint: string | null;
}

export interface Proof {
  readonly thumbprint: string;
  readonly jti: string;
  /** When the proof is too old to be accepted, in milliseconds since 1970. */
  readonly expiresAt: number;
}

interface ProofParts {
  readonly signatures: Pick<SignatureQueue, 'run'>;
  /** Null if proofs need no nonce. */
  readonly nonces: ReturnType<typeof createNonces> | null;
  readonly now: () => number;
}

export type CheckProof = ReturnType<typeof createProofCheck>;

/**
 * RFC 9449 section 4.3, in this order: one header, a JWT, its type, algorithm and key, the key that the token is bound
 * to, the signature, then the claims. `SeenProofs` refuses one that was used before.
 */
export function createProofCheck({ signatures, nonces, now }: ProofParts) {
  const keys = new ProofKeys();
  const open = async (proof: string, wanted: string | null, origin: RequestOrigin) => {
    try {
      const readKey = (segment: string) => keys.recall(segment) ?? keys.read(segment, wanted);
      const { segment, header, verify } = openJws(proof, readKey, signatures);
      // Checked before the signature, because a signature with another key is not worth checking.
      if (wanted !== null && header.thumbprint !== wanted) throw invalidProof('cnf');
      return { segment, header, claims: await verify(() => header.key, origin) };
    } catch (error) {
      throw asProofFault(error);
    }
  };
  return async (
    header: string | undefined,
    request: ProvenRequest,
    origin: RequestOrigin,
  ): Promise<Proof> => {
    const { segment, header: key, claims } = await open(single(header), request.thumbprint, origin);
    const { thumbprint } = key;
    const { jti } = claims;
    if (typeof jti !== 'string' || jti === '' || jti.length > longestJti) throw invalidProof('jti');
    if (claims.htm !== request.method) throw invalidProof('htm');
    if (typeof claims.htu !== 'string' || !isSameUri(claims.htu, request.uri)) throw invalidProof('htu');
    const expiresAt = checkTimes(claims, now() / 1000);
    if (request.tokenDigest !== null && claims.ath !== request.tokenDigest) throw invalidProof('ath');
    if (nonces !== null && !nonces.accepts(claims.nonce)) throw new Refusal('proof_nonce_required');
    // Cached only now, and only for a key that a token is bound to: strangers cannot evict the keys of others.
    if (request.thumbprint !== null) keys.remember(segment, key);
    return { thumbprint, jti, expiresAt };
  };
}

function single(header: string | undefined): string {
  if (header === undefined) throw invalidProof('missing');
  // Two headers arrive joined by a comma, which no JWT contains.
  if (header.includes(',')) throw invalidProof('repeated');
  return header;
}

const faults: Partial<Record<ErrorCode, ProofFault>> = {
  token_malformed: 'jwt',
  token_too_large: 'jwt',
  signature_invalid: 'signature',
};

function asProofFault(error: unknown): unknown {
  const fault = error instanceof Refusal ? faults[error.code] : undefined;
  return fault === undefined ? error : invalidProof(fault);
}

/** `exp` and `nbf` are optional (RFC 7519). */
function checkTimes({ iat, exp, nbf }: JsonObject, nowSeconds: number): number {
  if (typeof iat !== 'number' || !(Math.abs(nowSeconds - iat) <= proofWindowSeconds))
    throw invalidProof('iat');
  if (exp !== undefined && !(typeof exp === 'number' && exp > nowSeconds - clockToleranceSeconds))
    throw invalidProof('exp');
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= nowSeconds + proofWindowSeconds))
    throw invalidProof('nbf');
  // The database stores whole milliseconds; `iat` may be a fraction.
  return Math.ceil((iat + proofWindowSeconds) * 1000);
}

/** An absolute ASCII URL without credentials, in a form that a URL parser would not repair. It normalises the host in quadratic time. */
const plainUri = /^https?:\/\/[^\s\\@/?#]{1,260}(?:[/?#][!-[\]-~]*)?$/i;
const escapes = /%[0-9a-f]{2}/gi;
const unreserved = /^[A-Za-z0-9._~-]$/;

/** Compares without query and fragment (RFC 9449 section 4.3), after the normalisation of RFC 3986 sections 6.2.2 and 6.2.3. */
function isSameUri(htu: string, uri: string): boolean {
  if (htu === uri) return true;
  const normal = normalised(htu);
  return normal !== null && normal === normalised(uri);
}

function normalised(text: string): string | null {
  if (!plainUri.test(text)) return null;
  // Decodes escapes first: a dot may be escaped.
  const url = URL.parse(text.replace(escapes, plainEscape));
  return url === null ? null : `${url.origin}${url.pathname}`;
}

function plainEscape(text: string): string {
  const character = String.fromCharCode(Number.parseInt(text.slice(1), 16));
  return unreserved.test(character) ? character : text.toUpperCase();
}

const slotMs = 120_000;

/**
 * Stateless nonces (RFC 9449 section 8): an HMAC of the number of the time slot, so every machine with the same master secret
 * knows them. The previous one is accepted for proofs under way, and the next one because the clocks of machines differ.
 */
export function createNonces(key: Uint8Array, now: () => number) {
  const nonceAt = (offset: number) => {
    const slot = Math.floor(now() / slotMs) + offset;
    return createHmac('sha256', key).update(`slot ${slot}`).digest().toString('base64url', 0, 16);
  };
  return {
    current: () => nonceAt(0),
    // Nonces are public, so the comparison need not take constant time.
    accepts: (nonce: unknown) => nonce === nonceAt(0) || nonce === nonceAt(-1) || nonce === nonceAt(1),
  };
}
