import type { RequestOrigin } from '../base/caller.ts';
import type { Clock } from '../base/clock.ts';
import { WindowCounter } from '../base/window-counter.ts';

/** Longer than any client id; longer names share one count. */
const longestName = 64;
/** A failure at POST /token counts as this many refused requests: 30 a minute by default. */
export const refusalsPerFailure = 40;
/** Clients, and addresses, that are counted at the same time. */
const maxNames = 20_000;

/** Counts failures at POST /token by client and by address. Successes are not counted: no client can be locked out. */
export class Throttle {
  readonly #byClient: WindowCounter;
  readonly #byAddress: WindowCounter;

  constructor(perMinute: number, clock: Clock) {
    this.#byClient = new WindowCounter(perMinute, clock, maxNames);
    this.#byAddress = new WindowCounter(perMinute, clock, maxNames);
  }

  /** True if the next failure exceeds the limit. */
  isReached(clientId: string, address: string): boolean {
    return this.#byClient.isReached(nameOf(clientId)) || this.#byAddress.isReached(address);
  }

  /** The origin for the signature queue: past a limit a client counts as a suspect. */
  origin(clientId: string, from: RequestOrigin): RequestOrigin {
    const { address } = from;
    return { address, isSuspect: () => from.isSuspect() || this.isReached(clientId, address) };
  }

  /** Counts a failure, and returns the seconds to wait: 0 below the limits. */
  fail(clientId: string, address: string): number {
    return Math.max(this.#byClient.add(nameOf(clientId)), this.#byAddress.add(address));
  }
}

function nameOf(clientId: string): string {
  return clientId.length > longestName ? '' : clientId;
}
