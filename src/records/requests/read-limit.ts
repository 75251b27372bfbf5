import type { Clock } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import { secondsLeft, WindowCounter } from '../../base/window-counter.ts';
import type { Budget } from '../rules/budgets.ts';

/** A refused body counts as one read for each of these. */
const bytesOfRead = 65_536;
/** A request counts as one read for each of these that it examines. */
export const recordsOfRead = 200;

export class ReadLimit {
  readonly #counter: WindowCounter;
  readonly #clock: Clock;

  constructor(perMinute: number, clock: Clock) {
    this.#counter = new WindowCounter(perMinute, clock);
    this.#clock = clock;
  }

  refund(owner: string): void {
    this.#counter.refund(owner);
  }

  /** For a request that is counted as one read: counts further ones by the records that it examines. */
  meter(owner: string): (records: number) => void {
    let left = recordsOfRead;
    return (records) => {
      left -= records;
      const units = Math.ceil(-left / recordsOfRead);
      if (units <= 0) return;
      left += units * recordsOfRead;
      this.#counter.take(owner, units);
    };
  }

  /** Counts one read, or what a body of `bytes` is worth, and returns the RateLimit headers. Throws if the limit is reached. */
  take(owner: string, bytes = 1): Record<string, string> {
    const { limit: allowed, windowMs } = this.#counter;
    const units = Math.ceil((bytes || 1) / bytesOfRead);
    const { used, resetsAt, secondsLeft: retryAfterSeconds } = this.#counter.take(owner, units);
    const headers = rateHeaders('reads', { used, resetsAt, allowed, windowMs }, this.#clock.monotonic());
    if (retryAfterSeconds === 0) return headers;
    throw new Refusal('read_limit_reached', { retryAfterSeconds, headers });
  }
}

/** The draft "RateLimit header fields for HTTP". */
export function rateHeaders(policy: 'reads' | 'writes', budget: Budget, now: number) {
  const { used, allowed, windowMs } = budget;
  const left = Math.max(allowed - used, 0);
  const seconds = secondsLeft(budget, now);
  return {
    'ratelimit-policy': `"${policy}";q=${allowed};w=${windowMs / 1000}`,
    ratelimit: `"${policy}";r=${left};t=${seconds}`,
  };
}
