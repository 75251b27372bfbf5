import { type CryptoKey, compactVerify, errors } from 'jose';
import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import type { Principal } from '../base/principal.ts';
import { checkClaims } from './claims.ts';
import { parseCompact } from './compact.ts';
import { checkType, readHeader } from './header.ts';
import { chooseIssuer, type TrustedIssuer } from './issuers.ts';

/** Answers with whom a token speaks for, or rejects with the refusal that says why not. */
export type Verify = (token: string) => Promise<Principal>;

/** parse -> header -> issuer -> key -> signature -> claims. Nothing is said of the claims until the signature holds. */
export function createVerifier(issuers: readonly TrustedIssuer[], clock: Clock): Verify {
  const algorithms = new Set(issuers.flatMap((issuer) => [...issuer.algorithms]));

  return async (text) => {
    const token = parseCompact(text);
    const header = readHeader(token.header, algorithms);
    const issuer = chooseIssuer(issuers, token.unverifiedPayload.iss);
    if (!issuer.algorithms.has(header.algorithm)) throw new Refusal('algorithm_not_allowed');
    checkType(header.type, issuer.requireAtJwt);
    const key = await issuer.keys.find(header.kid, header.algorithm);
    if (key === undefined) throw new Refusal('key_unknown');
    await checkSignature(text, key, header.algorithm);
    return checkClaims(token.unverifiedPayload, issuer.claims, clock.now() / 1000);
  };
}

async function checkSignature(text: string, key: CryptoKey, algorithm: string): Promise<void> {
  try {
    await compactVerify(text, key, { algorithms: [algorithm] });
  } catch (error) {
    if (error instanceof errors.JOSEError) throw new Refusal('signature_invalid');
    throw error;
  }
}
