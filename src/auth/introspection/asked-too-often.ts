import type { Clock } from '../../base/clock.ts';
import type { FetchError } from '../provider-fetch.ts';

/** How long strangers wait where the provider does not say, and at most. */
const strangersMs = { usual: 5_000, longest: 60_000 };
/** How long tokens wait that were good, or whose address had good ones of late. */
const knownMs = 1_000;

/**
 * A provider that is asked more often than it likes (429). That is no outage, and a crowd of strangers can bring it about:
 * they wait for as long as the provider says, and leave what it allows to tokens that were good and to addresses that had
 * good ones of late. Those wait for a second when they are told so themselves.
 */
export class AskedTooOften {
  readonly #clock: Clock;
  /** Hears of it when strangers have to wait. */
  readonly #onWait: (seconds: number) => void;
  #strangersUntil = Number.NEGATIVE_INFINITY;
  #knownUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, onWait: (seconds: number) => void) {
    this.#clock = clock;
    this.#onWait = onWait;
  }

  /** How long whoever is known, or is not, has to wait; 0 when it may ask. */
  secondsLeft(isKnown: boolean): number {
    const until = isKnown ? this.#knownUntil : this.#strangersUntil;
    return Math.max(Math.ceil((until - this.#clock.monotonic()) / 1000), 0);
  }

  note({ retryAfterSeconds }: FetchError, isKnown: boolean): void {
    const now = this.#clock.monotonic();
    if (isKnown) this.#knownUntil = now + knownMs;
    // What was on its way when they began to wait says nothing new.
    if (this.#strangersUntil > now) return;
    const wantedMs = retryAfterSeconds === null ? strangersMs.usual : retryAfterSeconds * 1000;
    const waitMs = Math.min(Math.max(wantedMs, knownMs), strangersMs.longest);
    this.#strangersUntil = now + waitMs;
    this.#onWait(Math.ceil(waitMs / 1000));
  }
}
