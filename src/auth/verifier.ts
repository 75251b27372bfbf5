import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import { type Claimant, checkClaims } from './claims.ts';
import { type CompactToken, parseCompact } from './compact.ts';
import { checkType, readHeader } from './header.ts';
import { chooseIssuer, type TrustedIssuer } from './issuers.ts';
import type { Lanes } from './lanes.ts';
import { signatureHolds } from './signature.ts';

/** A verified token, and what it was verified against. */
export interface Verified {
  readonly claimant: Claimant;
  readonly issuer: TrustedIssuer;
  /** Of the issuer's keys, before the key was taken from them. */
  readonly generation: number | null;
}

/** Answers with whom a token speaks for, or rejects with the refusal that says why not. */
export type Verify = (token: string, suspicious: boolean) => Promise<Verified>;

/** parse -> header -> issuer -> key -> signature -> claims. Nothing is said of the claims until the signature holds. */
export function createVerifier(issuers: readonly TrustedIssuer[], lanes: Lanes, clock: Clock): Verify {
  const algorithms = new Set(issuers.flatMap((issuer) => [...issuer.algorithms]));

  return async (text, suspicious) => {
    const token = parseCompact(text);
    const header = readHeader(token.header, algorithms);
    const issuer = chooseIssuer(issuers, token.unverifiedPayload.iss);
    if (!issuer.algorithms.has(header.algorithm)) throw new Refusal('algorithm_not_allowed');
    checkType(header.type, issuer.requireAtJwt);
    // Taken before the key: should the keys change meanwhile, what is verified now is not remembered as valid.
    const generation = issuer.keys.generation();
    const key = await issuer.keys.find(header.kid, header.algorithm, () => looksRight(token, issuer, clock));
    if (key === undefined) throw new Refusal('key_unknown');
    const holds = await lanes.run(suspicious, () => signatureHolds(text, key, header.algorithm, suspicious));
    if (!holds) throw new Refusal('signature_invalid');
    return {
      claimant: checkClaims(token.unverifiedPayload, issuer.claims, clock.now() / 1000),
      issuer,
      generation,
    };
  };
}

/** Would the claims do, if the signature held? Decides whether the provider is asked for a key, and nothing else. */
function looksRight(token: CompactToken, issuer: TrustedIssuer, clock: Clock): boolean {
  try {
    checkClaims(token.unverifiedPayload, issuer.claims, clock.now() / 1000);
    return true;
  } catch {
    return false;
  }
}
