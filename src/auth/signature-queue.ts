import { Refusal } from '../base/errors.ts';

interface Waiting {
  /** Never throws. */
  readonly check: () => boolean;
  readonly suspectAddress: SuspectAddress;
  readonly resolve: (result: boolean) => void;
  readonly reject: (refusal: Refusal) => void;
}

/** Where a token came from, if so many were refused from there of late that it has to wait; else null. */
export type SuspectAddress = () => string | null;

/** In one turn of the event loop: about two milliseconds' worth with keys of the usual size. */
const mostInATurn = 16;
/** Of those, tokens from addresses that were refused often. */
const mostSuspectsInATurn = 4;
export const mostWaiting = 10_000;
export const mostWaitingOfAddress = 1_000;

/**
 * Checks signatures a few at a time, once a turn of the event loop has read all that came in. Callers who are known
 * are answered before that, and however many are not, everybody else gets a turn in between. Addresses that were
 * refused often take turns among each other for a few places, so that a flood of bad tokens holds up neither others
 * nor, for long, the good ones that come from the same address.
 */
export class SignatureQueue {
  readonly #waiting: Waiting[] = [];
  /** In the order in which their turns come. */
  readonly #suspects = new Map<string, Waiting[]>();
  #length = 0;

  /** Whether whoever waits is a suspect is asked when it is its turn, so that a crowd that came at once is seen as one. */
  run(check: () => boolean, suspectAddress: SuspectAddress): Promise<boolean> {
    if (this.#length >= mostWaiting) throw new Refusal('overloaded', { retryAfterSeconds: 1 });
    return new Promise((resolve, reject) => {
      this.#waiting.push({ check, suspectAddress, resolve, reject });
      this.#length += 1;
      if (this.#length === 1) setImmediate(this.#turn);
    });
  }

  readonly #turn = (): void => {
    const trusted = this.#waiting.splice(0, mostInATurn).filter((one) => !this.#setAside(one));
    const batch = [
      ...trusted,
      ...this.#nextSuspects(Math.min(mostSuspectsInATurn, mostInATurn - trusted.length)),
    ];
    this.#length -= batch.length;
    if (this.#length > 0) setImmediate(this.#turn);
    // All checks first: a row of them takes a third less than the same checks each in the middle of other work.
    const results = batch.map(({ check }) => check());
    batch.forEach(({ resolve }, index) => {
      resolve(results[index] as boolean);
    });
  };

  #setAside(one: Waiting): boolean {
    const address = one.suspectAddress();
    if (address === null) return false;
    const line = this.#suspects.get(address) ?? [];
    if (line.length >= mostWaitingOfAddress) {
      this.#length -= 1;
      one.reject(new Refusal('overloaded', { retryAfterSeconds: 1 }));
      return true;
    }
    line.push(one);
    this.#suspects.set(address, line);
    return true;
  }

  /** One of each address in turn. */
  #nextSuspects(most: number): Waiting[] {
    const batch: Waiting[] = [];
    while (batch.length < most) {
      const [first] = this.#suspects;
      if (first === undefined) break;
      const [address, line] = first;
      batch.push(line.shift() as Waiting);
      // To the end of the row, or out of it.
      this.#suspects.delete(address);
      if (line.length > 0) this.#suspects.set(address, line);
    }
    return batch;
  }
}
