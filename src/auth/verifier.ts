import type { KeyObject } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import type { Lane } from '../base/lane.ts';
import { rememberLast } from '../base/remember-last.ts';
import { Batches } from './batches.ts';
import { type Claimant, checkClaims } from './claims.ts';
import { type CompactToken, jsonObject, parseCompact } from './compact.ts';
import { checkType, readHeader } from './header.ts';
import { chooseIssuer, type TrustedIssuer } from './issuers.ts';
import { signatureHolds, signatureHoldsAside } from './signature.ts';

/** A verified token, and what it was verified against. */
export interface Verified {
  readonly claimant: Claimant;
  readonly issuer: TrustedIssuer;
  /** Of the issuer's keys, before the key was taken from them. */
  readonly generation: number | null;
}

/** Answers with whom a token speaks for, or rejects with the refusal that says why not. */
export type Verify = (token: string, isSuspicious: IsSuspicious) => Promise<Verified>;

/** Whether whoever sent a token has been refused often of late. Asked when it is the token's turn, not before. */
export type IsSuspicious = () => boolean;

/**
 * parse -> header -> issuer -> key -> signature -> claims. Nothing is said of the claims until the signature holds.
 *
 * Signatures are checked in batches on this thread. Those of whoever has been refused often of late wait in a narrow
 * lane for a thread beside it, so that a flood of bad tokens cannot stand in the way of good ones.
 */
export function createVerifier(issuers: readonly TrustedIssuer[], narrowLane: Lane, clock: Clock): Verify {
  const batches = new Batches();
  const algorithms = new Set(issuers.flatMap((issuer) => [...issuer.algorithms]));
  const headerOf = rememberLast((segment: string) => readHeader(jsonObject(segment), algorithms));

  const checkSignature = (
    token: CompactToken,
    key: KeyObject,
    algorithm: string,
    isSuspicious: IsSuspicious,
  ) =>
    batches.run(() =>
      isSuspicious()
        ? narrowLane.run(() => signatureHoldsAside(token, key, algorithm))
        : signatureHolds(token, key, algorithm),
    );

  return async (text, isSuspicious) => {
    const token = parseCompact(text);
    const { kid, algorithm, type } = headerOf(token.header);
    const issuer = chooseIssuer(issuers, token.unverifiedPayload.iss);
    if (!issuer.algorithms.has(algorithm)) throw new Refusal('algorithm_not_allowed');
    checkType(type, issuer.requireAtJwt);
    // Taken before the key: should the keys change meanwhile, what is verified now is not remembered as valid.
    const generation = issuer.keys.generation();
    const found = issuer.keys.find(kid, algorithm, () => looksRight(token, issuer, clock));
    const key = found instanceof Promise ? await found : found;
    if (key === undefined) throw new Refusal('key_unknown');
    const holds = await checkSignature(token, key, algorithm, isSuspicious);
    if (!holds) throw new Refusal('signature_invalid');
    const claimant = checkClaims(token.unverifiedPayload, issuer.claims, clock.now() / 1000);
    return { claimant, issuer, generation };
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
