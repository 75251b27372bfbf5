import type { Clock } from '../base/clock.ts';
import { RecentMap } from '../base/recent-map.ts';

const rememberMs = 60_000;
const mostRemembered = 1_000;

/**
 * A short memory of key names that were looked for in a fresh key set and were not there: a token that names one of
 * them asks the provider nothing. Bounded, so that inventing names only drives out what was asked for longest ago.
 */
export class UnknownKids {
  readonly #clock: Clock;
  readonly #forgetAt = new RecentMap<string, number>(mostRemembered);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  has(kid: string): boolean {
    return this.secondsLeft(kid) > 0;
  }

  /** How long it is remembered yet; 0 when it is not. */
  secondsLeft(kid: string): number {
    const now = this.#clock.monotonic();
    return Math.max(((this.#forgetAt.get(kid) ?? now) - now) / 1000, 0);
  }

  add(kid: string): void {
    this.#forgetAt.set(kid, this.#clock.monotonic() + rememberMs);
  }

  /** The provider publishes another set now: what was not there may be there. */
  clear(): void {
    this.#forgetAt.clear();
  }
}
