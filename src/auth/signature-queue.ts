import type { RequestOrigin } from '../base/caller.ts';
import { Refusal } from '../base/errors.ts';
import { FairQueue } from '../base/fair-queue.ts';

interface Waiting {
  /** Never throws. */
  readonly check: () => boolean;
  readonly origin: RequestOrigin;
  readonly resolve: (result: boolean) => void;
}

/**
 * Signatures per turn: under a millisecond with usual keys. Half as many cost a tenth more per token; twice as many delay
 * other requests more.
 */
const maxInATurn = 8;
/** The part of these for addresses that were refused often. */
const maxSuspectsInATurn = 2;
/** Waiting tokens, in all and per address. */
export const maxWaiting = 10_000;
export const maxWaitingOfAddress = 2_000;

/**
 * Checks a few signatures in each turn of the event loop, so that other requests are answered in between. Addresses take
 * turns, and those with many refusals share a few places: a flood of bad tokens holds up neither other addresses nor, for
 * long, the good tokens from the same one.
 */
export class SignatureQueue {
  readonly #waiting = new FairQueue<Waiting>();
  readonly #suspects = new FairQueue<Waiting>();

  run(check: () => boolean, origin: RequestOrigin): Promise<boolean> {
    const { address } = origin;
    const ofAddress = this.#waiting.lengthOf(address) + this.#suspects.lengthOf(address);
    if (this.size >= maxWaiting || ofAddress >= maxWaitingOfAddress)
      throw new Refusal('overloaded', {
        detail: 'too many tokens wait for verification',
        retryAfterSeconds: 1,
      });
    return new Promise((resolve) => {
      this.#waiting.push(address, { check, origin, resolve });
      if (this.size === 1) setImmediate(this.#turn);
    });
  }

  get size(): number {
    return this.#waiting.size + this.#suspects.size;
  }

  readonly #turn = (): void => {
    const batch: Waiting[] = [];
    let suspects = 0;
    for (; suspects < maxSuspectsInATurn; suspects += 1) {
      const next = this.#suspects.take();
      if (next === undefined) break;
      batch.push(next);
    }
    while (batch.length < maxInATurn) {
      const next = this.#waiting.take();
      if (next === undefined) break;
      // Decided only now, so that tokens that arrive together count as one crowd.
      const isSuspect = next.origin.isSuspect();
      if (isSuspect && suspects >= maxSuspectsInATurn) {
        this.#suspects.push(next.origin.address, next);
        continue;
      }
      if (isSuspect) suspects += 1;
      batch.push(next);
    }
    if (this.size > 0) setImmediate(this.#turn);
    // Checking all in a row takes a third less time.
    const results = batch.map(({ check }) => check());
    batch.forEach(({ resolve }, index) => {
      resolve(results[index] as boolean);
    });
  };
}
