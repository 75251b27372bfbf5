import type { Clock } from '../base/clock.ts';
import type { MeasuredRecords, RecordStore } from '../storage/port.ts';

/** A few milliseconds of the event loop on SQLite. */
const recordsAtOnce = 2_000;
/** The share of the time that counting may take is one in so many. */
const restFactor = 300;
const shortestRestMs = 20;
const betweenCountsMs = 2_000;
/** Counting ends this long after the counts were last asked for. */
const keptUpMs = 10_000;

interface CountOptions {
  readonly collections: readonly string[];
  readonly store: Pick<RecordStore, 'measure'>;
  readonly clock: Clock;
}

export interface CollectionCount {
  /** Null until the collection was counted once. */
  readonly states: readonly MeasuredRecords[] | null;
  /** Milliseconds since 1970. */
  readonly countedAt: number | null;
}

/**
 * Counts the records of all collections over and over while the console is open, a few at a time with a rest after each: one
 * statement over ten million rows would hold up every request on SQLite.
 */
export class RecordCounts {
  readonly #options: CountOptions;
  readonly #counts = new Map<string, CollectionCount>();
  #isCounting = false;
  #askedAt = 0;

  constructor(options: CountOptions) {
    this.#options = options;
  }

  of(collection: string): CollectionCount {
    return this.#counts.get(collection) ?? { states: null, countedAt: null };
  }

  /** Begins to count unless that is under way. */
  keepUp(): void {
    this.#askedAt = this.#options.clock.monotonic();
    if (this.#isCounting) return;
    this.#isCounting = true;
    // The database does not answer, or the service stops: the next question tries again.
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
