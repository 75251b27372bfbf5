import { hash } from 'node:crypto';
import {
  type Caller,
  hasExpired,
  isCurrent,
  isDpop,
  type RequestOrigin,
  type VerifiedToken,
} from '../base/caller.ts';
import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import { RecentMap } from '../base/recent-map.ts';
import { checkTimes } from './claims.ts';
import type { Verified, Verify } from './verifier.ts';

/** Reads the token of an Authorization header. Returns a cached caller without a promise. */
export type Authenticate<Who, Origin extends RequestOrigin = RequestOrigin> = (
  authorization: string | undefined,
  origin: Origin,
) => VerifiedToken<Who> | Promise<VerifiedToken<Who>>;

/** Rejects unless the request proves that its sender has the key that the token is bound to (DPoP). */
export type ProvePossession<Who, Origin> = (caller: Who, token: Digest, origin: Origin) => Promise<void>;

/** Throws or rejects if the caller is suspended, revoked or unknown. */
export type CheckStanding<Who = Caller> = (token: VerifiedToken<Who>) => void | Promise<void>;

const bearerStart = 'Bearer ';
const bearerScheme = /^bearer /i;
const dpopScheme = /^dpop /i;
const anyBearer = /(?:^|,\s*)bearer(?:\s|$)/i;
const tokenForm = /^[A-Za-z0-9._~+/-]+=*$/;

/**
 * Reads tokens from the Authorization header only: never from the query, a form or a cookie. Two such headers arrive joined
 * by a comma, which `tokenForm` refuses. The checks: form -> cache or verification -> binding -> standing. Without `prove`
 * only bearer tokens are accepted.
 */
export function createAuthenticate<Who extends object, Origin extends RequestOrigin = RequestOrigin>(
  cache: Pick<TokenCache<Who>, 'recall' | 'examine'>,
  checkStanding: CheckStanding<Who>,
  prove: ProvePossession<Who, Origin> | null = null,
): Authenticate<Who, Origin> {
  const admit = (token: VerifiedToken<Who>): ReturnType<Authenticate<Who>> => {
    const checked = checkStanding(token);
    return checked === undefined ? token : checked.then(() => token);
  };
  const admitBearer = (token: VerifiedToken<Who>): ReturnType<Authenticate<Who>> => {
    if ('boundTo' in token.caller && token.caller.boundTo !== null) throw new Refusal('token_bound');
    return admit(token);
  };
  const examine = (digest: Digest, text: string, origin: Origin): Promise<VerifiedToken<Who>> => {
    if (!tokenForm.test(text)) throw new Refusal('authorization_malformed');
    return cache.examine(digest, text, origin);
  };
  const byProof = async (provePossession: NonNullable<typeof prove>, text: string, origin: Origin) => {
    const digest = digestOf(text);
    const token = cache.recall(digest) ?? (await examine(digest, text, origin));
    await provePossession(token.caller, digest, origin);
    return admit(token);
  };
  return (authorization = '', origin) => {
    const isBearer = authorization.startsWith(bearerStart) || bearerScheme.test(authorization);
    if (!isBearer) {
      if (prove === null || !isDpop(authorization)) throw withoutToken(authorization);
      if (!dpopScheme.test(authorization)) throw new Refusal('authorization_malformed');
      return byProof(prove, authorization.slice('DPoP '.length), origin);
    }
    const text = authorization.slice(bearerStart.length);
    const digest = digestOf(text);
    const known = cache.recall(digest);
    if (known !== undefined) return admitBearer(known);
    return examine(digest, text, origin).then(admitBearer);
  };
}

/** The suspensions and revocations in memory (consumer/standing). */
interface ShutOut {
  readonly suspended: ReadonlySet<string>;
  readonly revocations: {
    readonly known: { readonly size: number };
    isRevoked(token: VerifiedToken): boolean;
  };
  readonly ownIssuer: string;
  /**
   * For tokens of this service. Returns a promise only for a client that is not in memory yet. `again` repeats all checks.
   */
  checkClient(caller: Caller, subject: string, again: () => void | Promise<void>): void | Promise<void>;
}

/** The standing of a caller: suspension -> revocation -> the state of a client of ours. */
export function createCheckStanding(shutOut: ShutOut): CheckStanding {
  const check: CheckStanding = (token) => {
    const { id, issuer, subject } = token.caller;
    const { suspended, revocations, ownIssuer } = shutOut;
    // Check the sizes first: usually there are no suspensions and revocations, and hashing an id costs more.
    if (id !== null && suspended.size > 0 && suspended.has(id)) throw new Refusal('consumer_suspended');
    if (revocations.known.size > 0 && revocations.isRevoked(token)) throw new Refusal('token_revoked');
    if (issuer === ownIssuer && subject !== null)
      return shutOut.checkClient(token.caller, subject, () => check(token));
  };
  return check;
}

/** Expiry and standing, which can change while a body uploads or a stream is open. */
export function createCheckAgain(checkStanding: CheckStanding, clock: Clock): CheckStanding {
  return (token) => {
    checkTimes(token, clock.now() / 1000);
    return checkStanding(token);
  };
}

/** A request without credentials is not malformed (RFC 6750 section 3.1). */
function withoutToken(authorization: string): Refusal {
  return new Refusal(anyBearer.test(authorization) ? 'authorization_malformed' : 'token_missing');
}

interface CachedToken<Who> extends VerifiedToken<Who> {
  readonly digest: Digest;
  readonly places: number;
}

/** The SHA-256 of a token, a character for each byte. DPoP proofs name it as `ath`. */
export type Digest = string;

interface TokenCacheOptions<Who> {
  readonly verify: Verify;
  /** `known` is the caller of an earlier token with the same issuer and subject. It is returned if nothing differs. */
  readonly callerOf: (verified: Verified, known: Who | undefined) => Who;
  /** The plain data of a caller whose size depends on the token. */
  readonly dataOf: (caller: Who) => unknown;
  /** A token takes one place for each started kilobyte of its data. */
  readonly maxPlaces: number;
  readonly clock: Clock;
}

export const tokenCachePlaces = 100_000;
/** More than the data of a usual token. Larger tokens leave room for fewer others. */
const placeBytes = 1024;
const sweepMs = 60_000;

/**
 * Caches verified tokens by their SHA-256. An entry counts only with the keys that verified it, and its times are checked on
 * every use. Refusals are not cached. The tokens of a caller share its object. Every minute expired tokens are removed, and
 * callers without a token.
 */
export class TokenCache<Who> {
  readonly #options: TokenCacheOptions<Who>;
  readonly #tokens: RecentMap<number, CachedToken<Who>>;
  /** The key is issuer and subject. */
  readonly #callers: RecentMap<string, Pick<CachedToken<Who>, 'caller' | 'places'>>;
  #cancelSweep: (() => void) | null = null;
  hits = 0;
  misses = 0;

  constructor(options: TokenCacheOptions<Who>) {
    this.#options = options;
    this.#tokens = new RecentMap(options.maxPlaces, ({ places }) => places);
    this.#callers = new RecentMap(options.maxPlaces, ({ places }) => places);
  }

  /** Undefined if the token has to be verified. */
  recall(digest: Digest): VerifiedToken<Who> | undefined {
    const known = this.#tokens.get(placeOf(digest));
    // The generation of a cached token is never null.
    if (known?.digest !== digest || known.keys.generation !== known.generation) {
      this.misses += 1;
      return undefined;
    }
    this.hits += 1;
    const now = this.#options.clock.now() / 1000;
    const start = Math.max(known.notBeforeSeconds ?? 0, known.issuedAtSeconds ?? 0);
    // An expired or future token needs the tolerance for clock skew, or it is refused.
    if (now < start || now >= known.expiresAtSeconds) checkTimes(known, now);
    return known;
  }

  async examine(digest: Digest, text: string, origin: RequestOrigin): Promise<VerifiedToken<Who>> {
    const { verify, callerOf, dataOf } = this.#options;
    const verified = await verify(text, origin);
    const { issuer, subject, times, tokenId } = verified.claims;
    // Neither contains NUL.
    const name = `${issuer}\0${subject ?? ''}`;
    const known = this.#callers.get(name);
    const caller = callerOf(verified, known?.caller);
    const isKnown = known?.caller === caller;
    const places = isKnown ? known.places : Math.ceil(estimateSize(dataOf(caller)) / placeBytes);
    const token: CachedToken<Who> = { digest, places, caller, tokenId, ...times, ...verified.verification };
    if (token.generation !== null) {
      this.#tokens.set(placeOf(digest), token);
      if (!isKnown) this.#callers.set(name, { caller, places });
    }
    this.#sweepLater();
    return token;
  }

  get size(): number {
    return this.#tokens.size;
  }

  get places(): number {
    return this.#tokens.places;
  }

  forget(isErased: (caller: Who) => boolean): void {
    this.#tokens.deleteWhere(({ caller }) => isErased(caller));
    this.#callers.deleteWhere(({ caller }) => isErased(caller));
  }

  stop(): void {
    this.#cancelSweep?.();
    this.#cancelSweep = null;
    this.#tokens.clear();
    this.#callers.clear();
  }

  #sweepLater(): void {
    if (this.#cancelSweep !== null || this.size === 0) return;
    const { clock } = this.#options;
    this.#cancelSweep = clock.after(sweepMs, () => {
      this.#cancelSweep = null;
      const now = clock.now() / 1000;
      this.#tokens.deleteWhere((token) => hasExpired(token, now) || !isCurrent(token));
      const held = new Set(this.#tokens.values().map(({ caller }) => caller));
      this.#callers.deleteWhere(({ caller }) => !held.has(caller));
      this.#sweepLater();
    });
  }
}

export function digestOf(token: string): Digest {
  return hash('sha256', token, 'latin1');
}

/**
 * Uses the first 30 bits: a map finds small integers ten times as fast as strings. If two tokens collide, the later one is
 * cached.
 */
function placeOf(digest: Digest): number {
  const at = (index: number) => digest.charCodeAt(index);
  return (at(0) << 22) | (at(1) << 14) | (at(2) << 6) | (at(3) >> 2);
}

/** Measured with V8 on 64 bits, for the JSON that takes the most memory per byte of a token. */
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
