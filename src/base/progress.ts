import type { Clock } from './clock.ts';
import { counted, grouped } from './counted.ts';
import { roughDuration } from './duration.ts';
import type { NowOrLater } from './now-or-later.ts';

interface Extent {
  readonly done: number;
  readonly total: number;
  /** In the singular: "row". */
  readonly unit: string;
  /** If the work has phases of unknown length, each with an extent of its own. */
  readonly phase?: string;
}

/** Null if it is not known how far the work is. */
export type Measure = () => NowOrLater<Extent | null>;
/** Called with each next piece of long work. */
export type Begin = (what: string, measure?: Measure) => void;

interface ProgressOptions {
  readonly clock: Clock;
  readonly everyMs: number;
  /** Whether each piece is said when it begins. */
  readonly atOnce?: boolean;
  readonly say: (text: string) => void;
}

/** Says at intervals which long work is under way, and how far it is. */
export class Progress {
  readonly #options: ProgressOptions;
  #work: { readonly what: string; readonly measure: Measure; readonly since: number } | null = null;
  #cancel = () => {};

  constructor(options: ProgressOptions) {
    this.#options = options;
  }

  readonly begin: Begin = (what, measure = () => null) => {
    const { clock, atOnce, say } = this.#options;
    if (this.#work === null) this.#sayLater();
    this.#work = { what, measure, since: clock.monotonic() };
    if (atOnce) say(what);
  };

  end(): void {
    this.#cancel();
    this.#work = null;
  }

  /** `Copying records: 120,000 of 500,000 rows (24 %), 12 s left`; null without work. */
  async text(): Promise<string | null> {
    const work = this.#work;
    const extent = await Promise.try(() => work?.measure() ?? null).catch(() => null);
    if (work === null || this.#work !== work) return this.#work?.what ?? null;
    const seconds = (this.#options.clock.monotonic() - work.since) / 1000;
    const passed = `${roughDuration(seconds)} so far`;
    if (extent === null) return `${work.what}, ${passed}`;
    const { done, total, unit, phase } = extent;
    const head = phase === undefined ? work.what : `${work.what} (${phase})`;
    if (total === 0) return `${head}, ${passed}`;
    const left = `${roughDuration((seconds * (total - done)) / done)} left`;
    const time = phase !== undefined || done === 0 ? passed : left;
    return `${head}: ${grouped(done)} of ${counted(total, unit)} (${Math.floor((100 * done) / total)} %), ${time}`;
  }

  #sayLater(): void {
    const { clock, everyMs, say } = this.#options;
    this.#cancel = clock.after(everyMs, async () => {
      const text = await this.text();
      // The work can end during the measurement.
      if (this.#work === null) return;
      say(text ?? this.#work.what);
      this.#sayLater();
    });
  }
}
