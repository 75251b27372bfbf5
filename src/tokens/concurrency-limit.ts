import { type ErrorCode, Refusal } from '../base/errors.ts';

interface ConcurrencyLimitOptions {
  readonly running: number;
  readonly waiting: number;
  /** What a caller that finds no place is refused with. */
  readonly refusal: ErrorCode;
}

/** Bounds work that callers can cause: so many run at once, so many wait, and further ones are refused. */
export class ConcurrencyLimit {
  readonly #running: number;
  readonly #waiting: number;
  readonly #refusal: ErrorCode;
  readonly #queue: (() => void)[] = [];
  #taken = 0;

  constructor({ running, waiting, refusal }: ConcurrencyLimitOptions) {
    this.#running = running;
    this.#waiting = waiting;
    this.#refusal = refusal;
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
      else next();
    }
  }

  #turn(): Promise<void> {
    if (this.#queue.length >= this.#waiting) throw new Refusal(this.#refusal, { retryAfterSeconds: 1 });
    return new Promise((resolve) => this.#queue.push(resolve));
  }
}
