import { hash } from 'node:crypto';
import type { Verification } from '../../base/caller.ts';
import type { Clock } from '../../base/clock.ts';
import { describe, Refusal } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-object.ts';
import { errorFields, type PlainLog } from '../../base/plain-log.ts';
import { createSecret } from '../../base/random.ts';
import { RecentMap } from '../../base/recent-map.ts';
import type { RequestOrigin } from '../../base/request-origin.ts';
import type { Tracing } from '../../base/tracing.ts';
import { checkClaims } from '../claims.ts';
import { ExpiringMap } from '../expiring-map.ts';
import type { TrustedIssuer } from '../issuers.ts';
import { FetchError, type FetchFault } from '../provider-fetch.ts';
import type { Verified, Verify } from '../verifier.ts';
import { AskedTooOften } from './asked-too-often.ts';
import { AskingAddresses } from './asking-addresses.ts';
import { Breaker } from './breaker.ts';
import { isOpaque } from './opaque.ts';
import { claimsIn, isAboutToken, isOutage, isTooOften } from './question.ts';

/** How long an answer counts at most: a token that is taken back works for that long. */
export const longestRememberedMs = 60_000;
/** Questions on their way at once; of those from one address; and about tokens from addresses that were refused often. */
export const mostInFlight = 64;
export const mostOfAddress = 48;
export const mostOfSuspects = 4;
/** Tokens that were good when they were last asked about: as many as the token cache has of the usual size. */
const mostGood = 100_000;
/** How long an opaque token that was refused is not asked about again, and how many are remembered. */
const refusedMs = 5_000;
const maxRefused = 1_000;
/** Requests that wait for the answers hold memory. */
const mostWaiting = 10_000;

interface IntrospectionOptions {
  readonly rules: Omit<TrustedIssuer, 'keys'>;
  /** One question: what the provider says of a token; null for one that is not active. */
  readonly ask: (
    token: string,
    stopping: AbortSignal,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<JsonObject | null>;
  readonly clock: Clock;
  readonly log: PlainLog;
  /** Hears what came of every question. */
  readonly onAsked: (result: AskResult) => void;
  readonly tracing?: Tracing | null;
}

/** A closed list, because it becomes a metric label. */
type AskResult = 'active' | 'inactive' | 'refused' | FetchFault;

/**
 * Tokens that hold nothing to be checked, and whose provider is asked about them (RFC 7662). The same token is asked about
 * once at a time, and what is known of it counts for a minute; nothing of it or of the answer is written down.
 */
export class Introspection {
  readonly #options: IntrospectionOptions;
  readonly #breaker: Breaker;
  /** By digest: a token that was refused a moment ago is not asked about again. */
  readonly #refused: ExpiringMap<string, Refusal>;
  readonly #addresses: AskingAddresses;
  readonly #tooOften: AskedTooOften;
  /**
   * Those that the provider knew when it was asked last, by their digests. Nobody has invented them, so they need nothing
   * of what their address has left, and others from there do not hold them up.
   */
  readonly #good = new RecentMap<string, true>(mostGood);
  /** By the digests of the tokens. */
  readonly #inFlight = new Map<string, Promise<Verified>>();
  readonly #ofAddress = new Map<string, number>();
  #ofSuspects = 0;
  #waiting = 0;
  readonly #stopping = new AbortController();

  constructor(options: IntrospectionOptions) {
    const { clock, log } = options;
    this.#options = options;
    this.#refused = new ExpiringMap(clock, refusedMs, maxRefused);
    this.#addresses = new AskingAddresses(clock);
    this.#tooOften = new AskedTooOften(clock, (seconds) =>
      log.warn({ retry_in_seconds: seconds }, 'provider is asked about too many tokens'),
    );
    this.#breaker = new Breaker({
      clock,
      control: () => this.#control(),
      onPause: (fault, seconds) =>
        log.warn({ fault, retry_in_seconds: seconds }, 'provider cannot be asked about tokens'),
      onReturn: () => log.info({}, 'provider answers about tokens again'),
    });
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Verifies opaque tokens this way, and all others as before. */
  beside(verify: Verify): Verify {
    return (token, origin) => (isOpaque(token) ? this.#verify(token, origin) : verify(token, origin));
  }

  async #verify(token: string, origin: RequestOrigin): Promise<Verified> {
    const digest = hash('sha256', token, 'latin1');
    const refusal = this.#refused.get(digest);
    if (refusal !== undefined) throw refusal;
    if (this.#waiting >= mostWaiting) throw overloaded();
    this.#waiting += 1;
    try {
      return await (this.#inFlight.get(digest) ?? this.#begin(digest, token, origin));
    } finally {
      this.#waiting -= 1;
    }
  }

  #begin(digest: string, token: string, origin: RequestOrigin): Promise<Verified> {
    const wasGood = this.#wasGood(digest);
    const secondsLeft = this.#tooOften.secondsLeft(wasGood || this.#addresses.isKnown(origin.address));
    if (secondsLeft > 0) throw tooOften(secondsLeft);
    const isSuspect = !wasGood && origin.isSuspect();
    const ofAddress = this.#ofAddress.get(origin.address) ?? 0;
    const isFull = this.#inFlight.size >= mostInFlight || ofAddress >= mostOfAddress;
    if (isFull || (isSuspect && this.#ofSuspects >= mostOfSuspects)) throw overloaded();
    if (isSuspect) this.#ofSuspects += 1;
    this.#ofAddress.set(origin.address, ofAddress + 1);
    const answered = this.#answered(digest, token, origin.address).finally(() => {
      this.#inFlight.delete(digest);
      if (isSuspect) this.#ofSuspects -= 1;
      this.#release(origin.address);
    });
    this.#inFlight.set(digest, answered);
    return answered;
  }

  #wasGood(digest: string): boolean {
    return this.#good.get(digest) === true;
  }

  #release(address: string): void {
    const left = (this.#ofAddress.get(address) ?? 0) - 1;
    if (left > 0) this.#ofAddress.set(address, left);
    else this.#ofAddress.delete(address);
  }

  async #answered(digest: string, token: string, address: string): Promise<Verified> {
    // What the provider says is as old as the question, at worst.
    const askedAt = this.#options.clock.monotonic();
    try {
      const answer = await this.#breaker.run(() => {
        if (!this.#wasGood(digest) && !this.#addresses.take(address)) throw overloaded();
        return this.#ask(token);
      });
      const verified = this.#judge(answer, askedAt);
      this.#addresses.noteGood(address);
      this.#good.set(digest, true);
      return verified;
    } catch (error) {
      if (error instanceof FetchError && isTooOften(error))
        throw this.#slowDown(error, this.#wasGood(digest) || this.#addresses.isKnown(address));
      const refusal = asRefusal(error);
      const isRefused = describe(refusal.code).status === 403;
      if (isRefused) this.#good.delete(digest);
      if (isRefused || (error instanceof FetchError && isAboutToken(error)))
        this.#refused.set(digest, refusal);
      throw refusal;
    }
  }

  #slowDown(error: FetchError, isKnown: boolean): Refusal {
    this.#tooOften.note(error, isKnown);
    return tooOften(this.#tooOften.secondsLeft(isKnown));
  }

  #judge(answer: JsonObject | null, askedAt: number): Verified {
    const { rules, clock, onAsked } = this.#options;
    if (answer === null) {
      onAsked('inactive');
      throw new Refusal('token_inactive');
    }
    try {
      const now = clock.now();
      const payload = claimsIn(answer, rules.claims);
      const claims = checkClaims(payload, rules.claims, now / 1000);
      const untilExpiryMs = claims.times.expiresAtSeconds * 1000 - now;
      const endsAt = Math.min(askedAt + longestRememberedMs, clock.monotonic() + untilExpiryMs);
      onAsked('active');
      return { claims, payload, verification: countsUntil(endsAt, clock) };
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
      return answer;
    } catch (error) {
      const fault = error instanceof FetchError ? error.fault : 'unexpected';
      span?.end(null, fault);
      onAsked(fault);
      throw error;
    }
  }

  /** Whether there is an answer about a token that nobody has, which is as good as any. */
  async #control(): Promise<FetchError | null> {
    try {
      await this.#options.ask(createSecret(), this.#stopping.signal);
      return null;
    } catch (error) {
      if (error instanceof FetchError) return isOutage(error) ? error : null;
      this.#options.log.error(errorFields(error), 'provider cannot be asked about tokens');
      return new FetchError('unexpected', 'a bug, see the log');
    }
  }
}

/** What is remembered by an answer counts until then; whoever asks whether it does needs not know that there were no keys. */
function countsUntil(endsAt: number, clock: Clock): Verification {
  return { keys: { generation: () => (clock.monotonic() < endsAt ? 0 : null) }, generation: 0 };
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (!(error instanceof FetchError)) throw error;
  return new Refusal('introspection_unavailable', { detail: error.message, retryAfterSeconds: 1 });
}

function tooOften(retryAfterSeconds: number): Refusal {
  const detail = 'the provider is asked too often (status 429)';
  return new Refusal('introspection_unavailable', { detail, retryAfterSeconds });
}

function overloaded(): Refusal {
  return new Refusal('overloaded', { detail: 'tokens to be asked about', retryAfterSeconds: 1 });
}
