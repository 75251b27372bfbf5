import { Refusal } from '../base/errors.ts';

/** Bounds work that callers can cause: so many run at once, so many wait, and whoever comes then is refused. */
export class Lane {
  readonly #running: number;
  readonly #waiting: number;
  readonly #queue: (() => void)[] = [];
  #taken = 0;

  constructor(size: { readonly running: number; readonly waiting: number }) {
    this.#running = size.running;
    this.#waiting = size.waiting;
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
    if (this.#queue.length >= this.#waiting) throw new Refusal('overloaded', { retryAfterSeconds: 1 });
    return new Promise((resolve) => this.#queue.push(resolve));
  }
}
