import { Refusal } from '../base/errors.ts';
import type { RequestOrigin } from '../base/request-origin.ts';

interface Waiting {
  /** Never throws. */
  readonly check: () => boolean;
  readonly origin: RequestOrigin;
  readonly resolve: (result: boolean) => void;
}

/**
 * In one turn of the event loop: well under a millisecond's worth with keys of the usual size. Half as many cost a tenth
 * more for each token, and twice as many make all of them wait for longer.
 */
const mostInATurn = 8;
/** Of those, tokens from addresses that were refused often. */
const mostSuspectsInATurn = 2;
/** Tokens that wait, in all and of one address. */
export const mostWaiting = 10_000;
export const mostWaitingOfAddress = 2_000;

/**
 * Checks signatures a few at a time, once a turn of the event loop has read all that came in. Callers who are known
 * are answered before that, and however many are not, everybody else gets a turn in between. Addresses take turns, and
 * those that were refused often share a few places: a flood of bad tokens holds up neither others nor, for long, the
 * good ones that come from the same address.
 */
export class SignatureQueue {
  /** By address, in the order in which their turns come. */
  readonly #lines = new Map<string, Waiting[]>();
  readonly #suspects = new Map<string, Waiting[]>();
  #length = 0;

  run(check: () => boolean, origin: RequestOrigin): Promise<boolean> {
    const { address } = origin;
    const own = this.#suspects.get(address) ?? this.#lines.get(address);
    const line = own ?? [];
    if (this.#length >= mostWaiting || line.length >= mostWaitingOfAddress)
      throw new Refusal('overloaded', { detail: 'tokens to be verified', retryAfterSeconds: 1 });
    if (own === undefined) this.#lines.set(address, line);
    return new Promise((resolve) => {
      line.push({ check, origin, resolve });
      this.#length += 1;
      if (this.#length === 1) setImmediate(this.#turn);
    });
  }

  readonly #turn = (): void => {
    this.#setSuspectsAside();
    const suspects = takeInTurn(this.#suspects, mostSuspectsInATurn);
    const batch = [...takeInTurn(this.#lines, mostInATurn - suspects.length), ...suspects];
    this.#length -= batch.length;
    if (this.#length > 0) setImmediate(this.#turn);
    // All checks first: a row of them takes a third less than the same checks each in the middle of other work.
    const results = batch.map(({ check }) => check());
    batch.forEach(({ resolve }, index) => {
      resolve(results[index] as boolean);
    });
  };

  /** Asked when it is their turn, not when they come, so that a crowd that came at once is seen as one. */
  #setSuspectsAside(): void {
    let seen = 0;
    for (const [address, line] of this.#lines) {
      if (seen === mostInATurn) return;
      if (line[0]?.origin.isSuspect() !== true) seen += 1;
      else {
        this.#lines.delete(address);
        this.#suspects.set(address, line);
      }
    }
  }
}

/** One of each line in turn. A line goes to the end of the row, where this comes by again, or out of it. */
function takeInTurn(lines: Map<string, Waiting[]>, most: number): Waiting[] {
  const batch: Waiting[] = [];
  for (const [address, line] of lines) {
    if (batch.length === most) break;
    batch.push(line.shift() as Waiting);
    lines.delete(address);
    if (line.length > 0) lines.set(address, line);
  }
  return batch;
}
