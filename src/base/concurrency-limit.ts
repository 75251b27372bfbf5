import { type ErrorCode, Refusal } from './errors.ts';
import type { WaitingPlaces } from './waiting-places.ts';

type Places = Pick<WaitingPlaces, 'count' | 'join' | 'begin'>;

interface ConcurrencyLimitOptions {
  readonly running: number;
  readonly waiting: number | Places;
  /** What a caller that finds no place is refused with. */
  readonly refusal: ErrorCode;
}

/** Bounds work that callers can cause: so many run at once, so many wait, and further ones are refused. */
export class ConcurrencyLimit {
  readonly #running: number;
  readonly #places: Places;
  readonly #refusal: ErrorCode;
  readonly #queue: (() => void)[] = [];
  #taken = 0;

  constructor({ running, waiting, refusal }: ConcurrencyLimitOptions) {
    this.#running = running;
    this.#places = typeof waiting === 'number' ? fixedPlaces(waiting) : waiting;
    this.#refusal = refusal;
  }

  /** Throws when no more can wait. */
  checkRoom(): void {
    if (this.#taken >= this.#running && this.#queue.length >= this.#places.count)
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
        this.#places.begin();
        next();
      }
    }
  }

  #turn(): Promise<void> {
    this.checkRoom();
    this.#places.join(this.#queue.length);
    return new Promise((resolve) => this.#queue.push(resolve));
  }
}

function fixedPlaces(count: number): Places {
  return { count, join() {}, begin() {} };
}
