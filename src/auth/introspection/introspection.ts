import type { RequestOrigin, Verification } from '../../base/caller.ts';
import type { Clock } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-object.ts';
import type { PlainLog } from '../../base/plain-log.ts';
import { createSecret } from '../../base/random.ts';
import { RecentMap } from '../../base/recent-map.ts';
import { singleFlight } from '../../base/single-flight.ts';
import type { Tracing } from '../../base/tracing.ts';
import { WindowCounter } from '../../base/window-counter.ts';
import { type Digest, digestOf } from '../authenticate.ts';
import { checkClaims } from '../claims.ts';
import { ExpiringMap } from '../expiring-map.ts';
import { FetchError, type FetchFault } from '../provider-fetch.ts';
import type { TrustedIssuer, Verified, Verify } from '../verifier.ts';
import { claimsOf, isAboutToken, isOpaque, isOutage } from './request.ts';

/** How long an answer is cached: a revoked token works for that long. */
export const cachedMs = 60_000;
const refusedMs = 5_000;
const maxRefused = 1_000;
/** Requests in flight; of those, about tokens that are not known as good; and of those, from one address. */
export const maxInFlight = 64;
export const maxInFlightNew = 48;
export const maxInFlightPerAddress = 32;
/** Requests per address and minute about tokens that turn out not to be good. */
export const maxFailedPerMinute = 60;
const maxKnown = 100_000;
/** The circuit breaker: failures in a row until it opens, and for how long. */
export const maxFailures = 5;
const pauseMs = { first: 5_000, max: 60_000 };
/** After status 429 about a known token. */
const knownPauseMs = 1_000;
const never = Number.NEGATIVE_INFINITY;

interface IntrospectionOptions {
  readonly rules: Omit<TrustedIssuer, 'keys'>;
  /** One introspection request: the provider's answer about a token, or null if the token is not active. */
  readonly ask: (
    token: string,
    stopping: AbortSignal,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<JsonObject | null>;
  readonly clock: Clock;
  readonly log: PlainLog;
  /** Counts the result of each request. A closed list, because it becomes a metric label. */
  readonly onAsked: (result: 'active' | 'inactive' | 'refused' | FetchFault) => void;
  readonly tracing?: Tracing | null;
}

/**
 * Verifies opaque tokens by introspection (RFC 7662). A token is known if it was good when the provider was last asked.
 * Limits that a flood of invented tokens can reach apply to new tokens only. Tokens are kept as digests, answers not at all.
 */
export class Introspection {
  readonly #options: IntrospectionOptions;
  readonly #refused: ExpiringMap<Digest, Refusal>;
  readonly #known = new RecentMap<Digest, true>(maxKnown);
  readonly #inFlight = new Map<Digest, { readonly address: string; readonly verified: Promise<Verified> }>();
  readonly #failedByAddress: WindowCounter;
  readonly #rateLimitedUntil = { new: never, known: never };
  #failures = 0;
  #pauseMs = pauseMs.first;
  #pausedUntil = never;
  readonly #probe = singleFlight(() => this.#askMadeUp());
  readonly #stopping = new AbortController();

  constructor(options: IntrospectionOptions) {
    this.#options = options;
    this.#refused = new ExpiringMap(options.clock, refusedMs, maxRefused);
    this.#failedByAddress = new WindowCounter(maxFailedPerMinute, options.clock);
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** A verifier that introspects opaque tokens and passes all others to `verify`. */
  withIntrospection(verify: Verify): Verify {
    return (token, origin) => (isOpaque(token) ? this.#verify(token, origin) : verify(token, origin));
  }

  async #verify(token: string, { address }: RequestOrigin): Promise<Verified> {
    const digest = digestOf(token);
    const refusal = this.#refused.get(digest);
    if (refusal !== undefined) throw refusal;
    return this.#inFlight.get(digest)?.verified ?? this.#start(digest, token, address);
  }

  #start(digest: Digest, token: string, address: string): Promise<Verified> {
    const isKnown = this.#known.get(digest) === true;
    if (this.#inFlight.size >= (isKnown ? maxInFlight : maxInFlightNew)) throw overloaded(1);
    const ofAddress = this.#inFlight.values().filter((flight) => flight.address === address);
    if (!isKnown && [...ofAddress].length >= maxInFlightPerAddress) throw overloaded(1);
    const verified = this.#introspect(digest, token, address, isKnown).finally(() => {
      this.#inFlight.delete(digest);
    });
    this.#inFlight.set(digest, { address, verified });
    return verified;
  }

  async #introspect(digest: Digest, token: string, address: string, isKnown: boolean): Promise<Verified> {
    const limited = this.#secondsUntil(this.#rateLimitedUntil[isKnown ? 'known' : 'new']);
    if (limited > 0) throw unavailable('the provider answered with status 429', limited);
    await this.#checkCircuit();
    const spent = isKnown ? 0 : this.#failedByAddress.take(address).secondsLeft;
    if (spent > 0) throw overloaded(spent);
    // Before the request: the answer may be as old as that.
    const askedAt = this.#options.clock.monotonic();
    try {
      const verified = this.#verifyAnswer(await this.#ask(token), askedAt);
      if (!isKnown) this.#failedByAddress.refund(address);
      this.#known.set(digest, true);
      return verified;
    } catch (error) {
      const refusal = error instanceof FetchError ? this.#refusalFor(error, isKnown) : error;
      if (!(refusal instanceof Refusal)) throw error;
      if (refusal === error) this.#known.delete(digest);
      if (refusal === error || isAboutToken(error)) this.#refused.set(digest, refusal);
      throw refusal;
    }
  }

  #verifyAnswer(answer: JsonObject | null, askedAt: number): Verified {
    const { rules, clock, onAsked } = this.#options;
    if (answer === null) {
      onAsked('inactive');
      throw new Refusal('token_inactive');
    }
    try {
      const now = clock.now();
      const payload = claimsOf(answer, rules.claims);
      const claims = checkClaims(payload, rules.claims, now / 1000);
      const untilExpiryMs = claims.times.expiresAtSeconds * 1000 - now;
      const endsAt = Math.min(askedAt + cachedMs, clock.monotonic() + untilExpiryMs);
      onAsked('active');
      return { claims, payload, verification: validUntil(endsAt, clock) };
    } catch (error) {
      onAsked('refused');
      throw error;
    }
  }

  async #ask(token: string): Promise<JsonObject | null> {
    const { ask, tracing, onAsked } = this.#options;
    const span = tracing?.outgoing({ method: 'POST', to: 'token introspection', isForCaller: true });
    try {
      const answer = await ask(token, this.#stopping.signal, span?.headers);
      span?.end(200, null);
      this.#closeCircuit();
      return answer;
    } catch (error) {
      const fault = error instanceof FetchError ? error.fault : 'unexpected';
      span?.end(null, fault);
      onAsked(fault);
      if (isOutage(error)) this.#failures += 1;
      else this.#closeCircuit();
      throw error;
    }
  }

  /**
   * The circuit breaker. After some failures in a row the service asks about a token that it made up, once for all
   * requests. If the provider answers it, the tokens were the cause, and other callers are not refused because of them.
   */
  async #checkCircuit(): Promise<void> {
    if (this.#failures < maxFailures) return;
    const seconds = this.#secondsUntil(this.#pausedUntil);
    if (seconds > 0) throw unavailable('circuit breaker is open', seconds);
    return this.#probe();
  }

  async #askMadeUp(): Promise<void> {
    try {
      await this.#options.ask(createSecret(), this.#stopping.signal);
    } catch (error) {
      if (isOutage(error)) throw this.#openCircuit(error);
    }
    this.#closeCircuit();
  }

  #openCircuit({ fault, message, retryAfterSeconds }: FetchError): Refusal {
    const waitMs = Math.min(Math.max(this.#pauseMs, (retryAfterSeconds ?? 0) * 1000), pauseMs.max);
    this.#pausedUntil = this.#options.clock.monotonic() + waitMs;
    this.#pauseMs = Math.min(this.#pauseMs * 2, pauseMs.max);
    const seconds = this.#secondsUntil(this.#pausedUntil);
    this.#options.log.warn(
      { fault, retry_in_seconds: seconds },
      'introspection fails: circuit breaker opened',
    );
    return unavailable(message, seconds);
  }

  #closeCircuit(): void {
    if (this.#pausedUntil !== never)
      this.#options.log.info({}, 'introspection works again: circuit breaker closed');
    this.#failures = 0;
    this.#pauseMs = pauseMs.first;
    this.#pausedUntil = never;
  }

  /** The answer to a request whose introspection failed. Status 429 puts off further new tokens, and known ones briefly. */
  #refusalFor(error: FetchError, isKnown: boolean): Refusal {
    if (error.status !== 429) return unavailable(error.message, 1);
    const until = this.#rateLimitedUntil;
    const now = this.#options.clock.monotonic();
    if (isKnown) until.known = now + knownPauseMs;
    if (until.new <= now) {
      const wantedMs = (error.retryAfterSeconds ?? 5) * 1000;
      until.new = now + Math.min(Math.max(wantedMs, knownPauseMs), pauseMs.max);
      const seconds = this.#secondsUntil(until.new);
      this.#options.log.warn(
        { retry_in_seconds: seconds },
        'provider answered introspection with its rate limit (429)',
      );
    }
    return unavailable(error.message, this.#secondsUntil(until[isKnown ? 'known' : 'new']));
  }

  #secondsUntil(monotonicMs: number): number {
    return Math.max(Math.ceil((monotonicMs - this.#options.clock.monotonic()) / 1000), 0);
  }
}

/** The token cache asks for the generation of the keys; this one changes when the answer expires. */
function validUntil(endsAt: number, clock: Clock): Verification {
  const keys = {
    get generation() {
      return clock.monotonic() < endsAt ? 0 : null;
    },
  };
  return { keys, generation: 0 };
}

function unavailable(detail: string, retryAfterSeconds: number): Refusal {
  return new Refusal('introspection_unavailable', { detail, retryAfterSeconds });
}

function overloaded(retryAfterSeconds: number): Refusal {
  return new Refusal('overloaded', { detail: 'token introspection', retryAfterSeconds });
}
