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
    const forgetAt = this.#forgetAt.get(kid);
    return forgetAt !== undefined && forgetAt > this.#clock.monotonic();
  }

  add(kid: string): void {
    this.#forgetAt.set(kid, this.#clock.monotonic() + rememberMs);
  }

  /** The provider publishes another set now: what was not there may be there. */
  clear(): void {
    this.#forgetAt.clear();
  }
}
