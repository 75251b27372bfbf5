import { Refusal } from '../base/errors.ts';

/** How many streams and waiting requests each caller has open in this process. */
export class Places {
  readonly #most: number;
  readonly #taken = new Map<string, number>();
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Of all callers. */
  get size(): number {
    return this.#size;
  }

  /** Throws when all are taken. */
  check(caller: string): void {
    if ((this.#taken.get(caller) ?? 0) < this.#most) return;
    throw new Refusal('too_many_streams', { members: { limit: this.#most }, retryAfterSeconds: 5 });
  }

  /** The returned function gives it back. */
  take(caller: string): () => void {
    this.#taken.set(caller, (this.#taken.get(caller) ?? 0) + 1);
    this.#size += 1;
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      this.#size -= 1;
      const left = (this.#taken.get(caller) ?? 1) - 1;
      if (left === 0) this.#taken.delete(caller);
      else this.#taken.set(caller, left);
    };
  }
}
