import { hash } from 'node:crypto';
import type { Caller } from '../base/caller.ts';
import type { Clock } from '../base/clock.ts';
import { RecentMap } from '../base/recent-map.ts';
import { checkTimes, hasExpired, type VerifiedClaims } from './claims.ts';
import type { TrustedIssuer } from './issuers.ts';
import type { TokenOrigin } from './signature-queue.ts';
import type { Verify } from './verifier.ts';

interface Remembered {
  readonly digest: Digest;
  readonly caller: Caller;
  readonly issuer: TrustedIssuer;
  readonly generation: number;
}

/** What credentials are remembered under. */
type Digest = string;

interface TokenCacheOptions {
  readonly verify: Verify;
  readonly pseudonymOf: (claims: VerifiedClaims) => string | null;
  readonly maxEntries: number;
  readonly clock: Clock;
}

/** How often expired tokens are forgotten. Until then whom they spoke for is in memory, and no longer. */
const sweepMs = 60_000;

/**
 * Remembers whom verified credentials speak for, under their SHA-256. What is remembered counts only with the very
 * keys it was verified with, and the times are checked again on every use. A refusal is never remembered. Nothing is
 * kept of a token that has expired, whether or not anybody comes after it.
 */
export class TokenCache {
  readonly #options: TokenCacheOptions;
  readonly #remembered: RecentMap<number, Remembered>;
  #isSweepDue = false;

  constructor(options: TokenCacheOptions) {
    this.#options = options;
    this.#remembered = new RecentMap(options.maxEntries);
  }

  /** The caller behind credentials that were verified before with the keys of today; of all others the digest. */
  recall(credentials: string): Caller | Digest {
    const digest = digestOf(credentials);
    const known = this.#remembered.get(placeOf(digest));
    if (known?.digest !== digest || !isCurrent(known)) return digest;
    checkTimes(known.caller.times, this.#options.clock.now() / 1000);
    return known.caller;
  }

  /** The caller behind credentials of which only the digest is known, by the token in them. */
  async examine(digest: Digest, token: string, origin: TokenOrigin): Promise<Caller> {
    const { verify, pseudonymOf } = this.#options;
    const { claims, issuer, generation } = await verify(token, origin);
    const caller: Caller = { ...claims, id: pseudonymOf(claims) };
    if (generation !== null) this.#remembered.set(placeOf(digest), { digest, caller, issuer, generation });
    this.#sweepLater();
    return caller;
  }

  /** Forgets the tokens of a caller: it was erased. */
  forget(id: string): void {
    this.#remembered.deleteWhere(({ caller }) => caller.id === id);
  }

  #sweepLater(): void {
    if (this.#isSweepDue || this.#remembered.isEmpty()) return;
    this.#isSweepDue = true;
    const { clock } = this.#options;
    clock.after(sweepMs, () => {
      this.#isSweepDue = false;
      const nowSeconds = clock.now() / 1000;
      this.#remembered.deleteWhere(({ caller }) => hasExpired(caller.times, nowSeconds));
      this.#sweepLater();
    });
  }
}

/** The issuer's keys are the very same as then. */
function isCurrent({ issuer, generation }: Remembered): boolean {
  return issuer.keys.generation() === generation;
}

function digestOf(credentials: string): Digest {
  return hash('sha256', credentials, 'latin1');
}

/**
 * The first 30 bits of a digest: a map finds a small number in a tenth of the time that it needs for a text. Two
 * digests may share a place; then the later one has it.
 */
function placeOf(digest: Digest): number {
  const at = (index: number) => digest.charCodeAt(index);
  return (at(0) << 22) | (at(1) << 14) | (at(2) << 6) | (at(3) >> 2);
}
