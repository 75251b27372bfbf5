import type { Ending } from './child.ts';

/** Whatever has run for this long was able to. */
const longEnoughMs = 10_000;
/** One process is not started more often than that. */
const leastBetweenMs = 1_000;
const mostMs = 30_000;

/**
 * How long to wait before a process is started in the place of one that has ended. One that did its work for a while, or
 * was killed from outside, is replaced at once; one that keeps ending by itself waits for 1, 2, 4 … 30 seconds, so that what
 * cannot work costs the others little.
 */
export class Backoff {
  #failures = 0;

  delayMs({ signal }: Ending, livedMs: number): number {
    if (signal === 'SIGKILL' || livedMs >= longEnoughMs) {
      this.#failures = 0;
      return Math.max(leastBetweenMs - livedMs, 0);
    }
    this.#failures += 1;
    return Math.min(leastBetweenMs * 2 ** (this.#failures - 1), mostMs);
  }
}
