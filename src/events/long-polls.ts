import type { Caller } from '../base/caller.ts';

interface Wait {
  readonly caller: Caller;
  /** Lets it go on at once. */
  readonly end: () => void;
}

/** The requests of this process that wait for the next event. */
export class LongPolls {
  readonly #all = new Set<Wait>();

  /** The returned function forgets it. */
  add(wait: Wait): () => void {
    this.#all.add(wait);
    return () => this.#all.delete(wait);
  }

  endAll(): void {
    for (const { end } of [...this.#all]) end();
  }

  /** Those whose callers are shut out, or of whom that cannot be said, go on and find out. */
  recheck(checkStanding: (caller: Caller) => void | Promise<void>): void {
    for (const { caller, end } of [...this.#all]) {
      try {
        checkStanding(caller)?.catch(end);
      } catch {
        end();
      }
    }
  }
}
