import type { Clock } from '../base/clock.ts';

const rememberMs = 60_000;
const mostRemembered = 1_000;

/**
 * A short memory of key names that were looked for in a fresh key set and were not there: a token that names one of
 * them asks the provider nothing. Bounded, the oldest goes first, so that inventing names only fills it.
 */
export class UnknownKids {
  readonly #clock: Clock;
  readonly #forgetAt = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  has(kid: string): boolean {
    const forgetAt = this.#forgetAt.get(kid);
    return forgetAt !== undefined && forgetAt > this.#clock.monotonic();
  }

  add(kid: string): void {
    this.#forgetAt.delete(kid);
    this.#forgetAt.set(kid, this.#clock.monotonic() + rememberMs);
    if (this.#forgetAt.size <= mostRemembered) return;
    const [oldest] = this.#forgetAt.keys();
    if (oldest !== undefined) this.#forgetAt.delete(oldest);
  }

  /** The provider publishes another set now: what was not there may be there. */
  clear(): void {
    this.#forgetAt.clear();
  }
}
