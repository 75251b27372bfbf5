import type { VerifiedToken } from '../base/caller.ts';
import { Refusal } from '../base/errors.ts';

/** Streams and long polls of one caller at each process (429 `too_many_streams` past that). */
export const streamsPerCaller = 8;

export class StreamLimit {
  readonly #max: number;
  readonly #taken = new Map<string, number>();
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  /** Throws when the caller has all of its places. The returned function gives the place back, once. */
  take(caller: string): () => void {
    const taken = this.#taken.get(caller) ?? 0;
    if (taken >= this.#max)
      throw new Refusal('too_many_streams', { members: { limit: this.#max }, retryAfterSeconds: 5 });
    this.#taken.set(caller, taken + 1);
    this.#size += 1;
    return () => {
      this.#size -= 1;
      const left = (this.#taken.get(caller) ?? 1) - 1;
      if (left === 0) this.#taken.delete(caller);
      else this.#taken.set(caller, left);
    };
  }
}

interface Wait {
  readonly token: VerifiedToken;
  readonly end: () => void;
}

export class LongPolls {
  readonly #all = new Set<Wait>();

  add(wait: Wait): () => void {
    this.#all.add(wait);
    return () => this.#all.delete(wait);
  }

  endAll(): void {
    for (const { end } of [...this.#all]) end();
  }

  /** Ends the long polls of callers that may be suspended: their request checks the standing again. */
  recheck(checkStanding: (token: VerifiedToken) => void | Promise<void>): void {
    for (const { token, end } of [...this.#all]) {
      try {
        checkStanding(token)?.catch(end);
      } catch {
        end();
      }
    }
  }
}
