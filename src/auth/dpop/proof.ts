import { clockToleranceSeconds } from '../../base/clock.ts';
import { type ErrorCode, Refusal } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-object.ts';
import type { RequestOrigin } from '../../base/request-origin.ts';
import { openJws } from '../jws.ts';
import type { SignatureQueue } from '../signature-queue.ts';
import type { Nonces } from './nonce.ts';
import { invalidProof, type ProofFault } from './proof-fault.ts';
import { ProofKeys } from './proof-keys.ts';
import { isSameUri } from './uri.ts';

/** How far the time in a proof may be from ours, either way. Browsers keep the time of machines that nobody sets. */
export const proofWindowSeconds = 60;
const longestJti = 512;

/** The request that a proof has to be for. */
export interface ProvenRequest {
  readonly method: string;
  /** As callers know it, without query and fragment. */
  readonly uri: string;
  /** The SHA-256 of the access token that is sent along, in base64url; null where none is. */
  readonly tokenDigest: string | null;
  /** The key that the token is bound to; null where any key will do. */
  readonly thumbprint: string | null;
}

export interface Proof {
  readonly thumbprint: string;
  readonly jti: string;
  /** From then on it would be refused for its age, in milliseconds since 1970. */
  readonly expiresAt: number;
}

interface ProofParts {
  readonly signatures: Pick<SignatureQueue, 'run'>;
  /** Null where proofs need none. */
  readonly nonces: Nonces | null;
  readonly now: () => number;
}

export type CheckProof = ReturnType<typeof createProofCheck>;

/**
 * RFC 9449 section 4.3, in this order: one header, a JWT, its type, algorithm and key, the key that the token is bound
 * to, the signature, then what it says. Whether it was used before is for `seen-proofs` to say.
 */
export function createProofCheck({ signatures, nonces, now }: ProofParts) {
  const keys = new ProofKeys();
  const open = async (proof: string, wanted: string | null, origin: RequestOrigin) => {
    try {
      const readKey = (segment: string) => keys.recall(segment) ?? keys.read(segment, wanted);
      const { segment, header, verify } = openJws(proof, readKey, signatures);
      // Before the signature: the check is not worth it for another key.
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
    // Only now, and only a key that a token is bound to: strangers cannot evict the keys of others.
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

/** A refusal of the opener in the terms of proofs. */
function asProofFault(error: unknown): unknown {
  const fault = error instanceof Refusal ? faults[error.code] : undefined;
  return fault === undefined ? error : invalidProof(fault);
}

/** `iat` decides. `exp` and `nbf` are nothing that a proof needs, and count when they are there (RFC 7519). */
function checkTimes({ iat, exp, nbf }: JsonObject, nowSeconds: number): number {
  if (typeof iat !== 'number' || !(Math.abs(nowSeconds - iat) <= proofWindowSeconds))
    throw invalidProof('iat');
  if (exp !== undefined && !(typeof exp === 'number' && exp > nowSeconds - clockToleranceSeconds))
    throw invalidProof('exp');
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= nowSeconds + proofWindowSeconds))
    throw invalidProof('nbf');
  // A whole number, as it is kept; "iat" need not be one.
  return Math.ceil((iat + proofWindowSeconds) * 1000);
}
