import { hash } from 'node:crypto';
import { hasExpired, isCurrent, type TokenTimes, type Verification } from '../base/caller.ts';
import type { Clock } from '../base/clock.ts';
import { RecentMap } from '../base/recent-map.ts';
import type { RequestOrigin } from '../base/request-origin.ts';
import { memoryTaken } from './memory-taken.ts';
import { checkTimes } from './token-times.ts';
import type { Verified, Verify } from './verifier.ts';

/** Whom a token speaks for, in whatever form: the times of the token are in it. */
export interface Timed {
  readonly times: TokenTimes;
}

interface Remembered<Caller> {
  readonly digest: Digest;
  readonly caller: Caller;
  readonly verification: Verification;
  readonly places: number;
}

/** What a token is remembered under. */
export type Digest = string;

interface TokenCacheOptions<Caller> {
  readonly verify: Verify;
  /** What is remembered of a token that was verified. */
  readonly callerOf: (verified: Verified) => Caller;
  /** What of that is as large as the token makes it: plain data. */
  readonly dataOf: (caller: Caller) => unknown;
  /** A token takes one, or one for each kilobyte of memory that its data take. */
  readonly maxPlaces: number;
  readonly clock: Clock;
}

/** How many places the service has for verified tokens. */
export const tokenCachePlaces = 100_000;

/** More than the data of an ordinary token take: whoever gets large ones has fewer of them remembered, and no more memory. */
export const placeBytes = 1024;

/** How often tokens are forgotten that have expired, or count no more. Until then whom they spoke for is in memory, and no longer. */
const sweepMs = 60_000;

/**
 * Remembers whom verified tokens speak for, under their SHA-256. What is remembered counts only with the very
 * keys it was verified with, and the times are checked again on every use. A refusal is never remembered. Nothing is
 * kept of a token that has expired, whether or not anybody comes after it.
 */
export class TokenCache<Caller extends Timed> {
  readonly #options: TokenCacheOptions<Caller>;
  readonly #remembered: RecentMap<number, Remembered<Caller>>;
  #cancelSweep: (() => void) | null = null;
  #hits = 0;
  #misses = 0;

  constructor(options: TokenCacheOptions<Caller>) {
    this.#options = options;
    this.#remembered = new RecentMap(options.maxPlaces, ({ places }) => places);
  }

  /** The caller behind a token that was verified before with the keys of today. */
  recall(digest: Digest): Caller | undefined {
    const known = this.#remembered.get(placeOf(digest));
    if (known?.digest !== digest || !isCurrent(known.verification)) {
      this.#misses += 1;
      return undefined;
    }
    this.#hits += 1;
    checkTimes(known.caller.times, this.#options.clock.now() / 1000);
    return known.caller;
  }

  /** The caller behind any other token. */
  async examine(digest: Digest, token: string, origin: RequestOrigin): Promise<Caller> {
    const { verify, callerOf, dataOf } = this.#options;
    const verified = await verify(token, origin);
    const { verification } = verified;
    const caller = callerOf(verified);
    if (verification.generation !== null) {
      const places = Math.ceil(memoryTaken(dataOf(caller)) / placeBytes);
      this.#remembered.set(placeOf(digest), { digest, caller, verification, places });
    }
    this.#sweepLater();
    return caller;
  }

  get hits(): number {
    return this.#hits;
  }

  get misses(): number {
    return this.#misses;
  }

  get size(): number {
    return this.#remembered.size;
  }

  /** Those of `maxPlaces` that are taken. */
  get places(): number {
    return this.#remembered.places;
  }

  /** Forgets the tokens of a caller: it was erased. */
  forget(isErased: (caller: Caller) => boolean): void {
    this.#remembered.deleteWhere(({ caller }) => isErased(caller));
  }

  /** Forgets everybody, and looks after nothing any more. */
  stop(): void {
    this.#cancelSweep?.();
    this.#cancelSweep = null;
    this.#remembered.clear();
  }

  #sweepLater(): void {
    if (this.#cancelSweep !== null || this.#remembered.isEmpty()) return;
    const { clock } = this.#options;
    this.#cancelSweep = clock.after(sweepMs, () => {
      this.#cancelSweep = null;
      const nowSeconds = clock.now() / 1000;
      this.#remembered.deleteWhere(
        (known) => hasExpired(known.caller.times, nowSeconds) || !isCurrent(known.verification),
      );
      this.#sweepLater();
    });
  }
}

/** A SHA-256, a character for each byte. */
export function digestOf(token: string): Digest {
  return hash('sha256', token, 'latin1');
}

/**
 * The first 30 bits of a digest: a map finds a small number in a tenth of the time that it needs for a text. Two
 * digests may share a place; then the later one has it.
 */
function placeOf(digest: Digest): number {
  const at = (index: number) => digest.charCodeAt(index);
  return (at(0) << 22) | (at(1) << 14) | (at(2) << 6) | (at(3) >> 2);
}
