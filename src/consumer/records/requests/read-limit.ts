import type { Clock } from '../../../base/clock.ts';
import { Refusal } from '../../../base/errors.ts';
import { RecentMap } from '../../../base/recent-map.ts';
import { type Budget, rateHeaders } from '../decide/budgets.ts';

const windowMs = 60_000;
const mostCallers = 100_000;

/** How much each caller has read of this process, a minute at a time. Memory is bounded: who is forgotten begins anew. */
export class ReadLimit {
  readonly #perMinute: number;
  readonly #clock: Clock;
  readonly #counts = new RecentMap<string, { used: number; readonly resetsAt: number }>(mostCallers);

  constructor(perMinute: number, clock: Clock) {
    this.#perMinute = perMinute;
    this.#clock = clock;
  }

  /** Takes back what was counted last: it was none, as it turned out. */
  giveBack(owner: string): void {
    const count = this.#counts.get(owner);
    if (count !== undefined && count.used > 0) count.used -= 1;
  }

  /** Counts one read; answers with the headers that show what is left. Throws when nothing was. */
  take(owner: string): Record<string, string> {
    const now = this.#clock.monotonic();
    let count = this.#counts.get(owner);
    if (count === undefined || count.resetsAt <= now) {
      count = { used: 0, resetsAt: now + windowMs };
      this.#counts.set(owner, count);
    }
    const isSpent = count.used >= this.#perMinute;
    if (!isSpent) count.used += 1;
    const budget: Budget = { ...count, allowed: this.#perMinute, windowMs };
    const headers = rateHeaders('reads', budget, now);
    if (!isSpent) return headers;
    const retryAfterSeconds = Math.max(Math.ceil((count.resetsAt - now) / 1000), 1);
    throw new Refusal('read_limit_reached', { retryAfterSeconds, headers });
  }
}
