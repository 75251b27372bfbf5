import type { Clock } from '../base/clock.ts';
import type { MeasuredRecords, RecordStore } from '../storage/port.ts';

/** Takes a few milliseconds of the event loop on SQLite. */
const recordsAtOnce = 2_000;
/** Counting may take one part of the time in this many. */
const restFactor = 300;
const shortestRestMs = 20;
const betweenCountsMs = 2_000;
/** Counting ends this long after the last request for the counts. */
const keptUpMs = 10_000;

interface CountOptions {
  readonly collections: readonly string[];
  readonly store: Pick<RecordStore, 'measure'>;
  readonly clock: Clock;
}

/**
 * Counts the records of all collections in a loop while the console is open, a few at a time with a pause after each: one
 * statement over ten million rows would block every request on SQLite.
 */
export class RecordCounts {
  readonly #options: CountOptions;
  readonly #counts = new Map<
    string,
    { readonly states: readonly MeasuredRecords[]; readonly countedAt: number }
  >();
  #isCounting = false;
  #askedAt = 0;

  constructor(options: CountOptions) {
    this.#options = options;
  }

  /** Both are null until the collection was counted once. */
  of(collection: string) {
    return this.#counts.get(collection) ?? { states: null, countedAt: null };
  }

  /** Starts counting unless it is running. */
  keepUp(): void {
    this.#askedAt = this.#options.clock.monotonic();
    if (this.#isCounting) return;
    this.#isCounting = true;
    // The database does not answer, or the service stops: the next request for the counts tries again.
    void this.#count()
      .catch(() => {})
      .finally(() => {
        this.#isCounting = false;
      });
  }

  async #count(): Promise<void> {
    const { collections, clock } = this.#options;
    while (clock.monotonic() - this.#askedAt < keptUpMs) {
      for (const collection of collections) await this.#countOne(collection);
      await this.#rest(betweenCountsMs);
    }
  }

  async #countOne(collection: string): Promise<void> {
    const { store, clock } = this.#options;
    const states = new Map<string | null, MeasuredRecords>();
    for (let after: string | null = ''; after !== null; ) {
      const began = clock.monotonic();
      const { lastId, measured } = await store.measure(collection, after, recordsAtOnce);
      for (const { state, records, bytes } of measured) {
        const before = states.get(state) ?? { records: 0, bytes: 0 };
        states.set(state, { state, records: before.records + records, bytes: before.bytes + bytes });
      }
      after = lastId;
      await this.#rest(Math.max((clock.monotonic() - began) * restFactor, shortestRestMs));
    }
    this.#counts.set(collection, { states: [...states.values()], countedAt: clock.now() });
  }

  #rest(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.#options.clock.after(milliseconds, resolve));
  }
}
