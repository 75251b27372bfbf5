import { hash } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { Principal } from '../base/principal.ts';
import { type Claimant, checkTimes } from './claims.ts';
import type { TrustedIssuer } from './issuers.ts';
import type { Verify } from './verifier.ts';

/** The caller behind a token: at once when the token was seen before. */
export type Recognise = (token: string, beforeExamining: () => boolean) => Principal | Promise<Principal>;

interface Remembered {
  readonly principal: Principal;
  readonly issuer: TrustedIssuer;
  readonly generation: number;
}

interface TokenCacheOptions {
  readonly verify: Verify;
  readonly pseudonymOf: (claimant: Claimant) => string | null;
  readonly maxEntries: number;
  readonly clock: Clock;
}

/**
 * Remembers who a verified token speaks for, under the token's SHA-256. What is remembered counts only with the very
 * keys it was verified with, and the times are checked again on every use. A refusal is never remembered.
 *
 * Two generations of entries stand in for a list by last use: when the young ones fill up they become the old ones,
 * and the old ones that nobody asked for are gone. That bounds the number without any work on a hit.
 */
export function createTokenCache({ verify, pseudonymOf, maxEntries, clock }: TokenCacheOptions): Recognise {
  const half = Math.ceil(maxEntries / 2);
  let young = new Map<string, Remembered>();
  let old = new Map<string, Remembered>();

  const remember = (digest: string, entry: Remembered) => {
    if (young.size >= half) {
      old = young;
      young = new Map();
    }
    young.set(digest, entry);
  };
  const recall = (digest: string): Remembered | undefined => {
    const entry = young.get(digest);
    if (entry !== undefined) return entry;
    const rescued = old.get(digest);
    if (rescued !== undefined) remember(digest, rescued);
    return rescued;
  };
  const examine = async (token: string, digest: string, suspicious: boolean): Promise<Principal> => {
    const { claimant, issuer, generation } = await verify(token, suspicious);
    const principal: Principal = { id: pseudonymOf(claimant), ...claimant };
    if (generation !== null) remember(digest, { principal, issuer, generation });
    return principal;
  };

  return (token, beforeExamining) => {
    const digest = hash('sha256', token, 'base64url');
    const known = recall(digest);
    if (known === undefined || known.issuer.keys.generation() !== known.generation) {
      return examine(token, digest, beforeExamining());
    }
    checkTimes(known.principal.times, clock.now() / 1000);
    return known.principal;
  };
}
