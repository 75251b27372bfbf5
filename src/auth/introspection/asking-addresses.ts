import type { Clock } from '../../base/clock.ts';
import { RecentMap } from '../../base/recent-map.ts';

/** Questions that an address may cause at once; after that one a second. */
export const mostAtOnce = 50;
/** What a good token gives back: where one in five is good, the others hold nobody up. */
const earnedByGood = 5;
/** How long an address is known by the last good token that came from there. */
const knownMs = 3_600_000;
const mostAddresses = 10_000;

interface Allowance {
  readonly left: number;
  readonly at: number;
}

/**
 * How many questions each address has left, so that nobody can spend by invented tokens what the provider allows for all.
 * Addresses with good tokens are remembered apart: however many strangers come, they drive out none of them.
 */
export class AskingAddresses {
  readonly #clock: Clock;
  readonly #allowances = new RecentMap<string, Allowance>(mostAddresses);
  readonly #knownUntil = new RecentMap<string, number>(mostAddresses);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes a question of what the address has left; false when there is none. */
  take(address: string): boolean {
    const left = this.#left(address);
    if (left < 1) return false;
    this.#set(address, left - 1);
    return true;
  }

  /** A token from there was good. */
  noteGood(address: string): void {
    this.#set(address, Math.min(this.#left(address) + earnedByGood, mostAtOnce));
    this.#knownUntil.set(address, this.#clock.monotonic() + knownMs);
  }

  isKnown(address: string): boolean {
    return (this.#knownUntil.get(address) ?? Number.NEGATIVE_INFINITY) > this.#clock.monotonic();
  }

  #left(address: string): number {
    const allowance = this.#allowances.get(address);
    if (allowance === undefined) return mostAtOnce;
    const seconds = (this.#clock.monotonic() - allowance.at) / 1000;
    return Math.min(allowance.left + seconds, mostAtOnce);
  }

  #set(address: string, left: number): void {
    this.#allowances.set(address, { left, at: this.#clock.monotonic() });
  }
}
