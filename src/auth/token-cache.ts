import { hash } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { Principal } from '../base/principal.ts';
import { RecentMap } from '../base/recent-map.ts';
import { type Claimant, checkTimes } from './claims.ts';
import type { TrustedIssuer } from './issuers.ts';
import type { Verify } from './verifier.ts';

/** The caller behind the credentials it sent: at once when the very same were seen before, else by the token in them. */
export type Recognise = (credentials: string, open: () => Opened) => Principal | Promise<Principal>;

interface Opened {
  readonly token: string;
  readonly suspicious: boolean;
}

interface Remembered {
  readonly digest: string;
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
 * Remembers whom verified credentials speak for, under their SHA-256. What is remembered counts only with the very
 * keys it was verified with, and the times are checked again on every use. A refusal is never remembered.
 */
export function createTokenCache({ verify, pseudonymOf, maxEntries, clock }: TokenCacheOptions): Recognise {
  const remembered = new RecentMap<number, Remembered>(maxEntries);

  const examine = async ({ token, suspicious }: Opened, digest: string): Promise<Principal> => {
    const { claimant, issuer, generation } = await verify(token, suspicious);
    const principal: Principal = { ...claimant, id: pseudonymOf(claimant), memo: null };
    if (generation !== null) remembered.set(placeOf(digest), { digest, principal, issuer, generation });
    return principal;
  };

  return (credentials, open) => {
    const digest = hash('sha256', credentials, 'latin1');
    const known = remembered.get(placeOf(digest));
    if (known?.digest !== digest || known.issuer.keys.generation() !== known.generation) {
      return examine(open(), digest);
    }
    checkTimes(known.principal.times, clock.now() / 1000);
    return known.principal;
  };
}

/**
 * The first 30 bits of a digest: a map finds a small number in a tenth of the time that it needs for a text. Two
 * digests may share a place; then the later one has it.
 */
function placeOf(digest: string): number {
  const at = (index: number) => digest.charCodeAt(index);
  return (at(0) << 22) | (at(1) << 14) | (at(2) << 6) | (at(3) >> 2);
}
