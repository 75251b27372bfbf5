import type { Clock } from './clock.ts';

const windowMs = 60_000;
/** How many names are watched at once; the ones whose minute began longest ago are forgotten first. */
const mostNames = 10_000;

/** Counts failures by name (an address, a client), a minute at a time, in bounded memory. */
export class FailureCount {
  readonly #clock: Clock;
  readonly #perMinute: number;
  readonly #counts = new Map<string, { failures: number; readonly endsAt: number }>();
  /** Goes through the names once, oldest first: to begin anew each time would step over all that are gone. */
  readonly #ages = this.#counts.keys();

  constructor(perMinute: number, clock: Clock) {
    this.#perMinute = perMinute;
    this.#clock = clock;
  }

  /** Whether nobody has failed of late: spares the search for a name. */
  isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  isReached(name: string): boolean {
    const count = this.#counts.get(name);
    return count !== undefined && count.failures >= this.#perMinute && count.endsAt > this.#clock.monotonic();
  }

  /** Counts one, and answers with the seconds until the next is welcome: 0 while the limit is not passed. */
  add(name: string): number {
    const now = this.#clock.monotonic();
    let count = this.#counts.get(name);
    if (count === undefined || count.endsAt <= now) {
      count = { failures: 0, endsAt: now + windowMs };
      this.#counts.delete(name);
      this.#counts.set(name, count);
      this.#forgetOldest();
    }
    count.failures += 1;
    return count.failures <= this.#perMinute ? 0 : Math.ceil((count.endsAt - now) / 1000);
  }

  #forgetOldest(): void {
    if (this.#counts.size <= mostNames) return;
    const { value: oldest } = this.#ages.next();
    if (oldest !== undefined) this.#counts.delete(oldest);
  }
}
