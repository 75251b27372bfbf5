import type { RequestOrigin } from '../base/caller.ts';
import type { Clock } from '../base/clock.ts';
import { WindowCounter } from '../base/window-counter.ts';

/** Longer than any client id; longer names are counted as one. */
const longestName = 64;
/** A failed try at POST /token counts as so many refused requests: 30 a minute by default. */
export const refusalsPerFailure = 40;
/** Clients, and addresses, that are counted at once. */
const maxNames = 20_000;

/** Counts failures at POST /token by client and by address. Successes are not counted: no client can be locked out. */
export class Throttle {
  readonly #byClient: WindowCounter;
  readonly #byAddress: WindowCounter;

  constructor(perMinute: number, clock: Clock) {
    this.#byClient = new WindowCounter(perMinute, clock, maxNames);
    this.#byAddress = new WindowCounter(perMinute, clock, maxNames);
  }

  /** Whether the next failure will be one too many. */
  isReached(clientId: string, address: string): boolean {
    return this.#byClient.isReached(nameOf(clientId)) || this.#byAddress.isReached(address);
  }

  /** Where signatures of a client come from: past a limit they wait with those of other suspects. */
  origin(clientId: string, from: RequestOrigin): RequestOrigin {
    const { address } = from;
    return { address, isSuspect: () => from.isSuspect() || this.isReached(clientId, address) };
  }

  /** Counts a failure, and answers with the seconds to wait: 0 while the limits are not passed. */
  fail(clientId: string, address: string): number {
    return Math.max(this.#byClient.add(nameOf(clientId)), this.#byAddress.add(address));
  }
}

function nameOf(clientId: string): string {
  return clientId.length > longestName ? '' : clientId;
}
