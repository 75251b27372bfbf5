import { type ErrorCode, Refusal } from './errors.ts';
import type { QueueCapacity } from './queue-capacity.ts';

type Capacity = Pick<QueueCapacity, 'count' | 'join' | 'begin'>;

interface ConcurrencyLimitOptions {
  readonly running: number;
  readonly waiting: number | Capacity;
  /** What a caller that finds no place is refused with. */
  readonly refusal: ErrorCode;
}

/** Bounds work that callers can cause: so many run at once, so many wait, and further ones are refused. */
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

  /** Throws when no more can wait. */
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
      // The place goes to the next in line, or is free again.
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
