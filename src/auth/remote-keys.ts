import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { KeySource } from './issuers.ts';
import { FetchError, type FetchFault, fetchDocument } from './jwks-fetch.ts';
import { type KeySet, readKeySet } from './key-set.ts';

/** A provider may ask for a shorter or longer life of its answer, within these bounds. */
const refreshBoundsSeconds = { shortest: 60, unstated: 600, longest: 86_400 };
const backOffSeconds = { first: 1, longest: 60 };
/** An unknown `kid` is either a rotation or an invention; inventions must not become requests to the provider. */
const unknownKidCoolDownMs = 30_000;

interface RemoteKeysOptions {
  readonly url: string;
  readonly algorithms: readonly string[];
  readonly maxStaleSeconds: number;
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 up to 1: spreads retries, so that many processes do not come back in step. */
  readonly random?: () => number;
}

/**
 * The provider's keys: fetched at start, refreshed in the background, one fetch in flight at a time. A failed fetch
 * keeps the last good set and backs off; a token with a `kid` that is not in the set may ask for one more fetch.
 */
export class RemoteKeys implements KeySource {
  readonly #options: RemoteKeysOptions;
  #current: { readonly set: KeySet; readonly fetchedAt: number } | null = null;
  #inFlight: Promise<void> | null = null;
  #failuresInARow = 0;
  #lastFault: FetchFault | null = null;
  #lastUnknownKidAt = Number.NEGATIVE_INFINITY;
  #cancelTimer: () => void = () => {};
  #stopped = false;

  constructor(options: RemoteKeysOptions) {
    this.#options = options;
  }

  /** Begins the first fetch and the refreshing. Does not wait: a provider that is down must not keep us down. */
  start(): void {
    void this.#refresh();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelTimer();
  }

  async find(kid: string | undefined, algorithm: string) {
    if (this.#usableSet() === null) await this.#inFlight;
    const key = this.#set().find(kid, algorithm);
    if (key !== undefined || kid === undefined) return key;
    await this.#refreshForUnknownKid();
    return this.#set().find(kid, algorithm);
  }

  /** What readiness and metrics show. */
  status() {
    const age =
      this.#current === null ? null : (this.#options.clock.monotonic() - this.#current.fetchedAt) / 1000;
    return {
      usable: this.#usableSet() !== null,
      ageSeconds: age,
      keys: this.#current?.set.keys.length ?? 0,
      lastFault: this.#lastFault,
    };
  }

  #set(): KeySet {
    const set = this.#usableSet();
    if (set !== null) return set;
    throw new Refusal('keys_unavailable', {
      detail: `last fault: ${this.#lastFault}`,
      retryAfterSeconds: Math.ceil(this.#backOff()),
    });
  }

  #usableSet(): KeySet | null {
    if (this.#current === null) return null;
    const ageSeconds = (this.#options.clock.monotonic() - this.#current.fetchedAt) / 1000;
    return ageSeconds <= this.#options.maxStaleSeconds ? this.#current.set : null;
  }

  async #refreshForUnknownKid(): Promise<void> {
    const now = this.#options.clock.monotonic();
    const mayFetch = this.#failuresInARow === 0 && now - this.#lastUnknownKidAt >= unknownKidCoolDownMs;
    if (this.#inFlight === null && mayFetch) {
      this.#lastUnknownKidAt = now;
      await this.#refresh();
    } else {
      await this.#inFlight;
    }
  }

  #refresh(): Promise<void> {
    this.#cancelTimer();
    this.#inFlight ??= this.#fetch().finally(() => {
      this.#inFlight = null;
    });
    return this.#inFlight;
  }

  async #fetch(): Promise<void> {
    const { url, algorithms, clock, log } = this.#options;
    const startedAt = clock.monotonic();
    try {
      const { document, maxAgeSeconds } = await fetchDocument(url);
      const set = await readKeySet(document, algorithms);
      if (set === null)
        throw new FetchError('no_usable_keys', 'the answer is not a key set with a usable key');
      this.#current = { set, fetchedAt: startedAt };
      this.#failuresInARow = 0;
      this.#lastFault = null;
      log.info({ keys: set.keys.length }, 'provider keys fetched');
      if (set.faults.length > 0)
        log.warn({ faults: set.faults }, 'provider publishes keys that cannot be used');
      this.#schedule(clampRefresh(maxAgeSeconds));
    } catch (error) {
      if (this.#stopped) return;
      const { fault, message, retryAfterSeconds } = error as FetchError;
      this.#failuresInARow += 1;
      this.#lastFault = fault;
      const delay = Math.max(this.#backOff(), retryAfterSeconds ?? 0);
      log.warn({ fault, detail: message, retry_in_seconds: Math.round(delay) }, 'provider keys not fetched');
      this.#schedule(delay);
    }
  }

  #backOff(): number {
    const { first, longest } = backOffSeconds;
    const step = Math.min(first * 2 ** Math.max(this.#failuresInARow - 1, 0), longest);
    return step * (1 + (this.#options.random ?? Math.random)() / 4);
  }

  #schedule(seconds: number): void {
    if (this.#stopped) return;
    this.#cancelTimer = this.#options.clock.after(seconds * 1000, () => void this.#refresh());
  }
}

function clampRefresh(maxAgeSeconds: number | null): number {
  const { shortest, unstated, longest } = refreshBoundsSeconds;
  return Math.min(Math.max(maxAgeSeconds ?? unstated, shortest), longest);
}
