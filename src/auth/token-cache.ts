import { hash } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { Principal } from '../base/principal.ts';
import { RecentMap } from '../base/recent-map.ts';
import { BurstMemory } from './burst-memory.ts';
import { type Claimant, checkTimes } from './claims.ts';
import type { TrustedIssuer } from './issuers.ts';
import type { IsSuspicious, Verify } from './verifier.ts';

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
export class TokenCache {
  readonly #options: TokenCacheOptions;
  readonly #remembered: RecentMap<number, Remembered>;
  /** The same, of those who were here seconds ago. */
  readonly #burst: BurstMemory<Remembered>;

  constructor(options: TokenCacheOptions) {
    this.#options = options;
    this.#remembered = new RecentMap(options.maxEntries);
    this.#burst = new BurstMemory(options.clock);
  }

  /** The caller behind credentials that were verified before, or null. */
  recall(credentials: string): Principal | null {
    const known = this.#burst.get(credentials) ?? this.#lookUp(credentials);
    if (known === null || known.issuer.keys.generation() !== known.generation) return null;
    checkTimes(known.principal.times, this.#options.clock.now() / 1000);
    return known.principal;
  }

  /** The caller behind credentials by the token in them. */
  async examine(credentials: string, token: string, isSuspicious: IsSuspicious): Promise<Principal> {
    const { verify, pseudonymOf } = this.#options;
    const { claimant, issuer, generation } = await verify(token, isSuspicious);
    const principal: Principal = { ...claimant, id: pseudonymOf(claimant), memo: null };
    const digest = digestOf(credentials);
    this.#burst.drop(credentials);
    if (generation !== null) this.#remembered.set(placeOf(digest), { digest, principal, issuer, generation });
    return principal;
  }

  #lookUp(credentials: string): Remembered | null {
    const digest = digestOf(credentials);
    const known = this.#remembered.get(placeOf(digest));
    if (known?.digest !== digest) return null;
    this.#burst.add(credentials, known);
    return known;
  }
}

function digestOf(credentials: string): string {
  return hash('sha256', credentials, 'latin1');
}

/**
 * The first 30 bits of a digest: a map finds a small number in a tenth of the time that it needs for a text. Two
 * digests may share a place; then the later one has it.
 */
function placeOf(digest: string): number {
  const at = (index: number) => digest.charCodeAt(index);
  return (at(0) << 22) | (at(1) << 14) | (at(2) << 6) | (at(3) >> 2);
}
