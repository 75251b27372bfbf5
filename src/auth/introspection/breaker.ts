import type { Clock } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import { FetchError, type FetchFault } from '../jwks-fetch.ts';

/** Failures in a row until nobody waits for an answer any more. */
const mostFailures = 5;
const pauseMs = { first: 5_000, longest: 60_000 };

interface BreakerOptions {
  readonly clock: Clock;
  /** Hears of it when nothing is asked for a while. */
  readonly onPause: (fault: FetchFault, seconds: number) => void;
  /** Hears of the first answer after that. */
  readonly onReturn: () => void;
}

/**
 * Asks a provider as long as it answers. After some failures in a row nobody waits for it: requests are refused at once
 * for a while, then one of them is tried, and what comes of it decides for the others.
 */
export class Breaker {
  readonly #options: BreakerOptions;
  #failures = 0;
  #pauseMs = pauseMs.first;
  #pausedUntil = 0;
  #isTrying = false;

  constructor(options: BreakerOptions) {
    this.#options = options;
  }

  async run<T>(ask: () => Promise<T>): Promise<T> {
    const seconds = this.#secondsLeft();
    if (seconds > 0)
      throw new Refusal('introspection_unavailable', {
        detail: 'not asked after failures in a row',
        retryAfterSeconds: seconds,
      });
    const isTrial = this.#isPaused();
    if (isTrial) this.#isTrying = true;
    try {
      const answer = await ask();
      this.#succeed();
      return answer;
    } catch (error) {
      if (error instanceof FetchError) this.#fail(error, isTrial);
      throw error;
    } finally {
      if (isTrial) this.#isTrying = false;
    }
  }

  #isPaused(): boolean {
    return this.#failures >= mostFailures;
  }

  /** Until the next question may be asked; 0 when that is now. */
  #secondsLeft(): number {
    if (!this.#isPaused()) return 0;
    const leftMs = this.#pausedUntil - this.#options.clock.monotonic();
    return Math.max(Math.ceil(leftMs / 1000), this.#isTrying ? 1 : 0);
  }

  #succeed(): void {
    const wasPaused = this.#isPaused();
    this.#failures = 0;
    this.#pauseMs = pauseMs.first;
    if (wasPaused) this.#options.onReturn();
  }

  #fail({ fault, status, retryAfterSeconds }: FetchError, isTrial: boolean): void {
    // The endpoint is there and makes no sense of this one token: whoever sends such tokens must not shut out the others.
    if (status === 400) return;
    // What was asked before the pause began says nothing new.
    if (this.#isPaused() && !isTrial) return;
    this.#failures += 1;
    if (!this.#isPaused()) return;
    const wantedMs = Math.min((retryAfterSeconds ?? 0) * 1000, pauseMs.longest);
    const pause = Math.max(this.#pauseMs, wantedMs);
    this.#pausedUntil = this.#options.clock.monotonic() + pause;
    this.#pauseMs = Math.min(this.#pauseMs * 2, pauseMs.longest);
    this.#options.onPause(fault, Math.ceil(pause / 1000));
  }
}
