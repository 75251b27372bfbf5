import { Refusal } from '../base/errors.ts';

interface Waiting {
  /** Never throws. */
  readonly check: () => Result;
  readonly resolve: (result: Result) => void;
}
type Result = boolean | Promise<boolean>;

/** In one turn of the event loop: about two milliseconds' worth with keys of the usual size. */
const mostInATurn = 16;
const mostWaiting = 10_000;

/**
 * Checks signatures a few at a time, once a turn has read all that came in. Callers who are known are answered before
 * that, and however many are not, everybody else gets a turn in between. A row of checks also takes a third less
 * than the same checks each in the middle of other work, because the processor then has just one thing to do.
 */
export class Batches {
  readonly #waiting: Waiting[] = [];

  run(check: () => Result): Promise<boolean> {
    if (this.#waiting.length >= mostWaiting) throw new Refusal('overloaded', { retryAfterSeconds: 1 });
    return new Promise((resolve) => {
      const length = this.#waiting.push({ check, resolve });
      if (length === 1) setImmediate(this.#turn);
    });
  }

  readonly #turn = (): void => {
    const batch = this.#waiting.splice(0, mostInATurn);
    if (this.#waiting.length > 0) setImmediate(this.#turn);
    const results = batch.map(({ check }) => check());
    batch.forEach(({ resolve }, index) => {
      resolve(results[index] as Result);
    });
  };
}
