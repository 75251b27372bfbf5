import { Refusal } from '../base/errors.ts';

/** How many checks run at once, and how many wait, at most. */
export interface LaneSize {
  readonly running: number;
  readonly waiting: number;
}

/**
 * Bounds the cryptography that callers can cause. Whoever has been refused often of late waits in a narrow lane of
 * its own, so that a flood of bad tokens cannot stand in the way of good ones.
 */
export class Lanes {
  readonly #open: Lane;
  readonly #narrow: Lane;

  constructor(open: LaneSize, narrow: LaneSize) {
    this.#open = new Lane(open);
    this.#narrow = new Lane(narrow);
  }

  run<T>(suspicious: boolean, work: () => Promise<T>): Promise<T> {
    return (suspicious ? this.#narrow : this.#open).run(work);
  }
}

class Lane {
  readonly #size: LaneSize;
  readonly #queue: (() => void)[] = [];
  #running = 0;

  constructor(size: LaneSize) {
    this.#size = size;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#size.running) this.#running += 1;
    else await this.#turn();
    try {
      return await work();
    } finally {
      // The place goes to the next in line, or is free again.
      const next = this.#queue.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  #turn(): Promise<void> {
    if (this.#queue.length >= this.#size.waiting) throw new Refusal('overloaded', { retryAfterSeconds: 1 });
    return new Promise((resolve) => this.#queue.push(resolve));
  }
}
