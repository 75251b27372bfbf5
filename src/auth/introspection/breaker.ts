import type { Clock } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import { FetchError, type FetchFault } from '../provider-fetch.ts';
import { isOutage } from './question.ts';

/** Failures in a row until it is found out whether the endpoint is there at all. */
const mostFailures = 5;
const pauseMs = { first: 5_000, longest: 60_000 };

interface BreakerOptions {
  readonly clock: Clock;
  /** A question of our own, about a token that nobody sends: what is wrong, or null when it is answered. Never rejects. */
  readonly control: () => Promise<FetchError | null>;
  /** Hears of it when nothing is asked for a while. */
  readonly onPause: (fault: FetchFault, seconds: number) => void;
  /** Hears of the first answer after that. */
  readonly onReturn: () => void;
}

/**
 * Asks a provider as long as it answers. After some failures in a row it is asked a question of our own. Is that answered,
 * it was the tokens, and whoever sends such tokens must not shut out the others. If not, nobody waits for it: requests are
 * refused at once for a while, then one of them is tried, and what comes of it decides for the others.
 */
export class Breaker {
  readonly #options: BreakerOptions;
  #failures = 0;
  #pauseMs = pauseMs.first;
  #pausedUntil: number | null = null;
  /** One question decides for the others: the first after a pause, or our own. */
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
    const isTrial = this.#pausedUntil !== null;
    if (isTrial) this.#isTrying = true;
    try {
      const answer = await ask();
      if (isTrial) this.#isTrying = false;
      this.#resume();
      return answer;
    } catch (error) {
      if (isTrial) this.#isTrying = false;
      if (error instanceof FetchError) {
        // An answer about this one token, or that it was asked too often, is an answer.
        if (isOutage(error)) this.#fail(isTrial);
        else this.#resume();
      }
      throw error;
    }
  }

  /** Until the next question may be asked; 0 when that is now. */
  #secondsLeft(): number {
    if (this.#pausedUntil === null) return 0;
    const leftMs = this.#pausedUntil - this.#options.clock.monotonic();
    return Math.max(Math.ceil(leftMs / 1000), this.#isTrying ? 1 : 0);
  }

  #fail(isTrial: boolean): void {
    // What was asked before the pause began says nothing new, and our own question says it better.
    if (!isTrial && (this.#pausedUntil !== null || this.#isTrying)) return;
    this.#failures += 1;
    if (this.#failures >= mostFailures) void this.#findOut();
  }

  /** Whether it was the endpoint or the tokens. */
  async #findOut(): Promise<void> {
    this.#isTrying = true;
    const fault = await this.#options.control();
    this.#isTrying = false;
    const isAnswered = fault === null || this.#failures === 0;
    if (isAnswered) this.#resume();
    else this.#pause(fault);
  }

  #pause({ fault, retryAfterSeconds }: FetchError): void {
    const wantedMs = Math.min((retryAfterSeconds ?? 0) * 1000, pauseMs.longest);
    const pause = Math.max(this.#pauseMs, wantedMs);
    this.#pausedUntil = this.#options.clock.monotonic() + pause;
    this.#pauseMs = Math.min(this.#pauseMs * 2, pauseMs.longest);
    this.#options.onPause(fault, Math.ceil(pause / 1000));
  }

  #resume(): void {
    this.#failures = 0;
    this.#pauseMs = pauseMs.first;
    if (this.#pausedUntil === null) return;
    this.#pausedUntil = null;
    this.#options.onReturn();
  }
}
