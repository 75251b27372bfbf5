import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import { WindowCounter } from '../base/window-counter.ts';

const maxAddresses = 20_000;

/**
 * Counts refused requests by address. Past the limit a further refusal is 429, and tokens that were never seen before
 * wait for the few places that such addresses share (auth/signature-queue); a good token is served as ever.
 */
export class RefusalLimit {
  readonly #refused: WindowCounter;

  constructor(perMinute: number, clock: Clock) {
    this.#refused = new WindowCounter(perMinute, clock, maxAddresses);
  }

  /** False spares the search for an address. */
  hasCounted(): boolean {
    return !this.#refused.isEmpty();
  }

  isReached(address: string): boolean {
    return this.#refused.isReached(address);
  }

  /** Counts a refusal, and answers with the one to send: the same, or the one for too many. */
  count(address: string, refusal: Refusal): Refusal {
    const retryAfterSeconds = this.#refused.add(address);
    if (retryAfterSeconds === 0) return refusal;
    return new Refusal('too_many_refusals', { detail: refusal.code, retryAfterSeconds });
  }
}
