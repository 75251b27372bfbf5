import type { Clock } from './clock.ts';
import { RecentMap } from './recent-map.ts';

interface Count {
  used: number;
  /** A time of the monotonic clock. */
  readonly resetsAt: number;
}

const maxKeys = 100_000;

/** At most one window, also after a wrong clock. */
export function secondsLeft(window: { readonly resetsAt: number; readonly windowMs: number }, now: number) {
  return Math.max(Math.ceil(Math.min(window.resetsAt - now, window.windowMs) / 1000), 0);
}

/**
 * Counts by key (caller, address, client) in fixed windows of a minute. Memory is bounded: an evicted key begins at zero.
 */
export class WindowCounter {
  readonly windowMs = 60_000;
  readonly limit: number;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #counts: RecentMap<string, Count>;

  constructor(limit: number, clock: Pick<Clock, 'monotonic'>, keys = maxKeys) {
    this.limit = limit;
    this.#clock = clock;
    this.#counts = new RecentMap(keys);
  }

  isReached(key: string): boolean {
    return (this.#current(key)?.used ?? 0) >= this.limit;
  }

  /** Counts one, and returns the seconds until the window ends if that was past the limit; 0 otherwise. */
  add(key: string): number {
    const count = this.#currentOrNew(key);
    count.used += 1;
    return count.used <= this.limit ? 0 : this.#secondsLeft(count);
  }

  /** Counts `units` unless the limit is reached. `secondsLeft` is 0 if they were counted. */
  take(key: string, units = 1): Readonly<Count> & { readonly secondsLeft: number } {
    const count = this.#currentOrNew(key);
    const isSpent = count.used >= this.limit;
    if (!isSpent) count.used += units;
    return { ...count, secondsLeft: isSpent ? this.#secondsLeft(count) : 0 };
  }

  refund(key: string): void {
    const count = this.#current(key);
    if (count !== undefined && count.used > 0) count.used -= 1;
  }

  #current(key: string): Count | undefined {
    const count = this.#counts.get(key);
    return count !== undefined && count.resetsAt > this.#clock.monotonic() ? count : undefined;
  }

  #currentOrNew(key: string): Count {
    const known = this.#current(key);
    if (known !== undefined) return known;
    const count = { used: 0, resetsAt: this.#clock.monotonic() + this.windowMs };
    this.#counts.set(key, count);
    return count;
  }

  #secondsLeft({ resetsAt }: Count): number {
    const { windowMs } = this;
    return Math.max(secondsLeft({ resetsAt, windowMs }, this.#clock.monotonic()), 1);
  }
}
