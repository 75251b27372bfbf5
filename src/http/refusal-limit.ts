import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';

const windowMs = 60_000;
/** How many addresses are watched at once; the ones whose minute began longest ago are forgotten first. */
const mostAddresses = 10_000;

/**
 * Counts refused requests by address, a minute at a time. Past the limit a further refusal is 429, and tokens that
 * were never seen before are checked in the narrow lane; whoever brings a good token is served as ever.
 */
export class RefusalLimit {
  readonly #clock: Clock;
  readonly #perWindow: number;
  readonly #counts = new Map<string, { refusals: number; readonly endsAt: number }>();

  constructor(perMinute: number, clock: Clock) {
    this.#perWindow = perMinute;
    this.#clock = clock;
  }

  /** False spares the search for an address. */
  hasCounted(): boolean {
    return this.#counts.size > 0;
  }

  isReached(address: string): boolean {
    const count = this.#counts.get(address);
    return count !== undefined && count.refusals >= this.#perWindow && count.endsAt > this.#clock.monotonic();
  }

  /** Counts a refusal, and answers with the one to send: the same, or the one for too many. */
  count(address: string, refusal: Refusal): Refusal {
    const now = this.#clock.monotonic();
    let count = this.#counts.get(address);
    if (count === undefined || count.endsAt <= now) {
      count = { refusals: 0, endsAt: now + windowMs };
      this.#counts.delete(address);
      this.#counts.set(address, count);
      this.#forgetOldest();
    }
    count.refusals += 1;
    if (count.refusals <= this.#perWindow) return refusal;
    const retryAfterSeconds = Math.ceil((count.endsAt - now) / 1000);
    return new Refusal('too_many_refusals', { detail: refusal.code, retryAfterSeconds });
  }

  #forgetOldest(): void {
    if (this.#counts.size <= mostAddresses) return;
    const [oldest] = this.#counts.keys();
    if (oldest !== undefined) this.#counts.delete(oldest);
  }
}
