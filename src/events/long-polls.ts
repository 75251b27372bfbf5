import type { Caller } from '../base/caller.ts';

interface Wait {
  readonly caller: Caller;
  readonly end: () => void;
}

/** The long polls of this process. */
export class LongPolls {
  readonly #all = new Set<Wait>();

  add(wait: Wait): () => void {
    this.#all.add(wait);
    return () => this.#all.delete(wait);
  }

  endAll(): void {
    for (const { end } of [...this.#all]) end();
  }

  /** Ends the wait of callers that may be shut out: their request checks it again. */
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
