import type { Clock } from './clock.ts';

interface QueueCapacityOptions {
  readonly most: number;
  /** The minimum for an overloaded queue. */
  readonly least: number;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** A queue that has not been empty for `longestBurstMs` may hold only as many items as are done in `standingWaitMs`. */
export const longestBurstMs = 2_000;
export const standingWaitMs = 500;

export class QueueCapacity {
  readonly #options: QueueCapacityOptions;
  /** When the queue was last empty (monotonic), and how many items have begun since. */
  #lastEmptyAt = 0;
  #begunSinceEmpty = 0;

  constructor(options: QueueCapacityOptions) {
    this.#options = options;
  }

  get count(): number {
    const { most, least, clock } = this.#options;
    const ms = clock.monotonic() - this.#lastEmptyAt;
    if (ms < longestBurstMs) return most;
    return Math.min(most, Math.max(least, Math.round((this.#begunSinceEmpty * standingWaitMs) / ms)));
  }

  /** Called for each item that is queued; `waiting` are ahead of it. */
  join(waiting: number): void {
    if (waiting > 0) return;
    this.#lastEmptyAt = this.#options.clock.monotonic();
    this.#begunSinceEmpty = 0;
  }

  /** Called for items whose turn it is. */
  begin(count = 1): void {
    this.#begunSinceEmpty += count;
  }
}
