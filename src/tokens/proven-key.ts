import { type ErrorCode, Refusal } from '../base/errors.ts';
import type { Input } from '../base/handler.ts';
import type { RequestOrigin } from '../base/request-origin.ts';
import type { TokenRequest } from './request-types.ts';

/**
 * The thumbprint of the key that a request proves to have, to which its token is bound (RFC 9449 section 5); null when it
 * sends no proof, and needs none. The proof is used up.
 */
export type ProveKey = (input: Input, origin: RequestOrigin) => Promise<string | null>;

const inOAuth: Partial<Record<ErrorCode, ErrorCode>> = {
  proof_invalid: 'oauth_proof_invalid',
  proof_replayed: 'oauth_proof_invalid',
  proof_nonce_required: 'oauth_proof_nonce_required',
};

/** Not one that only lacks a nonce: every client's first one does. */
export function isBadProof(error: unknown): boolean {
  return error instanceof Refusal && (error.code === 'proof_invalid' || error.code === 'proof_replayed');
}

/** A refused proof in the dialect of the request: JSON has no words for it but that the credentials are not complete. */
export function refusalIn(dialect: TokenRequest['dialect'], error: unknown): unknown {
  const code = error instanceof Refusal ? inOAuth[error.code] : undefined;
  if (!(error instanceof Refusal) || code === undefined) return error;
  const detail = `DPoP proof: ${error.options.detail ?? error.code}`;
  return new Refusal(dialect === 'oauth' ? code : 'credentials_missing', { detail });
}
