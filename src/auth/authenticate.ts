import { hash } from 'node:crypto';
import {
  hasExpired,
  isCurrent,
  isDpop,
  type RequestOrigin,
  type TokenTimes,
  type Verification,
} from '../base/caller.ts';
import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import { RecentMap } from '../base/recent-map.ts';
import { checkTimes } from './claims.ts';
import type { Verified, Verify } from './verifier.ts';

/** The caller behind an Authorization header; without a promise for a token in the cache. */
export type Authenticate<Caller, Origin extends RequestOrigin = RequestOrigin> = (
  authorization: string | undefined,
  origin: Origin,
) => Caller | Promise<Caller>;

/** Rejects when the request does not prove that its sender has the key that the token is bound to (DPoP). */
export type ProvePossession<Caller, Origin> = (
  caller: Caller,
  token: Digest,
  origin: Origin,
) => Promise<void>;

interface Cacheable {
  readonly times: TokenTimes;
  readonly boundTo?: string | null;
}

const bearerStart = 'Bearer ';
const bearerScheme = /^bearer /i;
const dpopScheme = /^dpop /i;
const anyBearer = /(?:^|,\s*)bearer(?:\s|$)/i;
const tokenForm = /^[A-Za-z0-9._~+/-]+=*$/;

/**
 * Reads tokens from the Authorization header only: never from the query, a form or a cookie. Two such headers arrive joined
 * by a comma, which `tokenForm` refuses. `standing.check` throws for a caller that is shut out. Without `prove` only bearer
 * tokens are accepted.
 */
export function createAuthenticate<Caller extends Cacheable, Origin extends RequestOrigin = RequestOrigin>(
  cache: Pick<TokenCache<Caller>, 'recall' | 'examine'>,
  standing: { check(caller: Caller): void | Promise<void> },
  prove: ProvePossession<Caller, Origin> | null = null,
): Authenticate<Caller, Origin> {
  const admit = (caller: Caller): Caller | Promise<Caller> => {
    const checked = standing.check(caller);
    return checked === undefined ? caller : checked.then(() => caller);
  };
  const admitBearer = (caller: Caller): Caller | Promise<Caller> => {
    if (typeof caller.boundTo === 'string') throw new Refusal('token_bound');
    return admit(caller);
  };
  const examine = (digest: Digest, token: string, origin: Origin): Promise<Caller> => {
    if (!tokenForm.test(token)) throw new Refusal('authorization_malformed');
    return cache.examine(digest, token, origin);
  };
  const byProof = async (provePossession: NonNullable<typeof prove>, token: string, origin: Origin) => {
    const digest = digestOf(token);
    const caller = cache.recall(digest) ?? (await examine(digest, token, origin));
    await provePossession(caller, digest, origin);
    return admit(caller);
  };
  return (authorization = '', origin) => {
    const isBearer = authorization.startsWith(bearerStart) || bearerScheme.test(authorization);
    if (!isBearer) {
      if (prove === null || !isDpop(authorization)) throw withoutToken(authorization);
      if (!dpopScheme.test(authorization)) throw new Refusal('authorization_malformed');
      return byProof(prove, authorization.slice('DPoP '.length), origin);
    }
    const token = authorization.slice(bearerStart.length);
    const digest = digestOf(token);
    const known = cache.recall(digest);
    if (known !== undefined) return admitBearer(known);
    return examine(digest, token, origin).then(admitBearer);
  };
}

/** A request without credentials is not malformed (RFC 6750 section 3.1). */
function withoutToken(authorization: string): Refusal {
  return new Refusal(anyBearer.test(authorization) ? 'authorization_malformed' : 'token_missing');
}

interface CachedToken<Caller> {
  readonly digest: Digest;
  readonly caller: Caller;
  readonly verification: Verification;
  readonly places: number;
}

/** The SHA-256 of a token, a character for each byte. DPoP proofs name it as `ath`. */
export type Digest = string;

interface TokenCacheOptions<Caller> {
  readonly verify: Verify;
  readonly callerOf: (verified: Verified) => Caller;
  /** The plain data of a caller whose size depends on the token. */
  readonly dataOf: (caller: Caller) => unknown;
  /** A token takes one place for each started kilobyte of its data. */
  readonly maxPlaces: number;
  readonly clock: Clock;
}

export const tokenCachePlaces = 100_000;
/** More than the data of a usual token take. Larger tokens leave room for fewer others. */
export const placeBytes = 1024;
const sweepMs = 60_000;

/**
 * Caches the callers of verified tokens by the SHA-256 of the token. An entry counts only with the keys that verified it, and
 * its times are checked on every use. Refusals are not cached. Expired tokens are removed every minute.
 */
export class TokenCache<Caller extends Cacheable> {
  readonly #options: TokenCacheOptions<Caller>;
  readonly #tokens: RecentMap<number, CachedToken<Caller>>;
  #cancelSweep: (() => void) | null = null;
  #hits = 0;
  #misses = 0;

  constructor(options: TokenCacheOptions<Caller>) {
    this.#options = options;
    this.#tokens = new RecentMap(options.maxPlaces, ({ places }) => places);
  }

  /** The caller of a cached token; undefined if it has to be verified. */
  recall(digest: Digest): Caller | undefined {
    const known = this.#tokens.get(placeOf(digest));
    // The generation of a cached token is never null.
    if (known?.digest !== digest || known.verification.keys.generation !== known.verification.generation) {
      this.#misses += 1;
      return undefined;
    }
    this.#hits += 1;
    const { times } = known.caller;
    const now = this.#options.clock.now() / 1000;
    const start = Math.max(times.notBeforeSeconds ?? 0, times.issuedAtSeconds ?? 0);
    // Outside of its own times a token needs the tolerance for clock skew, or is refused.
    if (now < start || now >= times.expiresAtSeconds) checkTimes(times, now);
    return known.caller;
  }

  async examine(digest: Digest, token: string, origin: RequestOrigin): Promise<Caller> {
    const { verify, callerOf, dataOf } = this.#options;
    const verified = await verify(token, origin);
    const { verification } = verified;
    const caller = callerOf(verified);
    if (verification.generation !== null) {
      const places = Math.ceil(estimateSize(dataOf(caller)) / placeBytes);
      this.#tokens.set(placeOf(digest), { digest, caller, verification, places });
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
    return this.#tokens.size;
  }

  get places(): number {
    return this.#tokens.places;
  }

  forget(isErased: (caller: Caller) => boolean): void {
    this.#tokens.deleteWhere(({ caller }) => isErased(caller));
  }

  stop(): void {
    this.#cancelSweep?.();
    this.#cancelSweep = null;
    this.#tokens.clear();
  }

  #sweepLater(): void {
    if (this.#cancelSweep !== null || this.#tokens.isEmpty()) return;
    const { clock } = this.#options;
    this.#cancelSweep = clock.after(sweepMs, () => {
      this.#cancelSweep = null;
      const now = clock.now() / 1000;
      this.#tokens.deleteWhere(
        ({ caller, verification }) => hasExpired(caller.times, now) || !isCurrent(verification),
      );
      this.#sweepLater();
    });
  }
}

export function digestOf(token: string): Digest {
  return hash('sha256', token, 'latin1');
}

/** The first 30 bits: a map finds small integers ten times as fast as texts. Of two tokens with the same bits the later is cached. */
function placeOf(digest: Digest): number {
  const at = (index: number) => digest.charCodeAt(index);
  return (at(0) << 22) | (at(1) << 14) | (at(2) << 6) | (at(3) >> 2);
}

/** Measured with V8 on 64 bits, for the data that take the most memory for each byte of a token. */
const textBytes = 24;
const containerBytes = 64;
const itemBytes = 8;
const memberBytes = 64;

/** Estimates the memory of plain data in bytes: a token of 8 KB can become 170 KB of nested lists. */
function estimateSize(data: unknown): number {
  if (typeof data === 'string') return textBytes + 2 * data.length;
  if (typeof data !== 'object' || data === null) return itemBytes;
  let bytes = containerBytes;
  if (Array.isArray(data)) for (const item of data) bytes += itemBytes + estimateSize(item);
  else
    for (const [name, value] of Object.entries(data))
      bytes += memberBytes + 2 * name.length + estimateSize(value);
  return bytes;
}
