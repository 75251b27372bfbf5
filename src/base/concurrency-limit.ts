import type { Clock } from './clock.ts';
import { type ErrorCode, Refusal } from './errors.ts';

type Capacity = Pick<QueueCapacity, 'count' | 'join' | 'begin'>;

interface ConcurrencyLimitOptions {
  readonly running: number;
  readonly waiting: number | Capacity;
  /** The refusal for a caller if the queue is full. */
  readonly refusal: ErrorCode;
}

/** Bounds the work that callers can cause: a number of tasks run at once, a number wait, and further ones are refused. */
export class ConcurrencyLimit {
  readonly #running: number;
  readonly #capacity: Capacity;
  readonly #refusal: ErrorCode;
  readonly #queue: (() => void)[] = [];
  #taken = 0;

  constructor({ running, waiting, refusal }: ConcurrencyLimitOptions) {
    this.#running = running;
    this.#capacity = typeof waiting === 'number' ? { count: waiting, join() {}, begin() {} } : waiting;
    this.#refusal = refusal;
  }

  /** Throws if the queue is full. */
  checkRoom(): void {
    if (this.#taken >= this.#running && this.#queue.length >= this.#capacity.count)
      throw new Refusal(this.#refusal, { retryAfterSeconds: 1 });
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#taken < this.#running) this.#taken += 1;
    else await this.#turn();
    try {
      return await work();
    } finally {
      // The slot goes to the next in the queue, or becomes free.
      const next = this.#queue.shift();
      if (next === undefined) this.#taken -= 1;
      else {
        this.#capacity.begin();
        next();
      }
    }
  }

  #turn(): Promise<void> {
    this.checkRoom();
    this.#capacity.join(this.#queue.length);
    return new Promise((resolve) => this.#queue.push(resolve));
  }
}

interface QueueCapacityOptions {
  readonly max: number;
  /** The minimum for an overloaded queue. */
  readonly min: number;
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
    const { max, min, clock } = this.#options;
    const ms = clock.monotonic() - this.#lastEmptyAt;
    if (ms < longestBurstMs) return max;
    return Math.min(max, Math.max(min, Math.round((this.#begunSinceEmpty * standingWaitMs) / ms)));
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
