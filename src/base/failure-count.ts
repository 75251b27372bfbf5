import type { Clock } from './clock.ts';

const windowMs = 60_000;
/** How many names are watched at once; the ones whose minute began longest ago are forgotten first. */
const mostNames = 10_000;

interface Count {
  failures: number;
  readonly endsAt: number;
  /** Its place among `#names`. */
  readonly place: number;
}

/** Counts failures by name (an address, a client), a minute at a time, in bounded memory. */
export class FailureCount {
  readonly #clock: Clock;
  readonly #perMinute: number;
  readonly #counts = new Map<string, Count>();
  /**
   * The names in the order in which their minutes began, from `#next` on and then from the beginning. To ask the map
   * for its oldest entry would take long or leak: a new iterator steps over all that are gone, and one that is kept
   * keeps every table that the map has outgrown (V8 links them).
   */
  readonly #names: string[] = [];
  #next = 0;

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
    if (count === undefined || count.endsAt <= now) count = this.#begin(name, now + windowMs);
    count.failures += 1;
    return count.failures <= this.#perMinute ? 0 : Math.ceil((count.endsAt - now) / 1000);
  }

  /** A new minute for a name, in the place of the one that began longest ago. */
  #begin(name: string, endsAt: number): Count {
    const place = this.#next;
    const oldest = this.#names[place];
    // Unless it has begun another minute since, in another place.
    if (oldest !== undefined && this.#counts.get(oldest)?.place === place) this.#counts.delete(oldest);
    const count = { failures: 0, endsAt, place };
    this.#names[place] = name;
    this.#next = (place + 1) % mostNames;
    this.#counts.set(name, count);
    return count;
  }
}
