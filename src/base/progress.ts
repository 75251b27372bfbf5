import type { Clock } from './clock.ts';
import { counted, grouped } from './counted.ts';
import { roughDuration } from './duration.ts';
import type { NowOrLater } from './handler.ts';

/** `unit` is singular. `phase`: if the work has phases of unknown length, each with an extent of its own. */
export type Extent = Readonly<{ done: number; total: number; unit: string; phase?: string }>;
/** Called with each next piece of long work. `measure` is null if it is not known how far the work is. */
export type Begin = (what: string, measure?: () => NowOrLater<Extent | null>) => void;

interface Options {
  readonly clock: Clock;
  readonly everyMs: number;
  /** Whether each piece is said when it begins. */
  readonly atOnce?: boolean;
  readonly say: (text: string) => void;
}

/** Says at intervals which long work is under way, and how far it is. */
export function createProgress({ clock, everyMs, atOnce = false, say }: Options) {
  let text: (() => Promise<string>) | null = null;
  let cancel = () => {};
  const sayLater = () => {
    cancel = clock.after(everyMs, async () => {
      const said = await text?.();
      // The work can end during the measurement.
      if (text === null || said === undefined) return;
      say(said);
      sayLater();
    });
  };
  const begin: Begin = (what, measure = () => null) => {
    const since = clock.monotonic();
    if (text === null) sayLater();
    text = async () => {
      const extent = await Promise.try(measure).catch(() => null);
      return progressText(what, extent, (clock.monotonic() - since) / 1000);
    };
    if (atOnce) say(what);
  };
  const end = () => {
    cancel();
    text = null;
  };
  return { begin, end, text: async () => (await text?.()) ?? null };
}

/** `Copying records: 120,000 of 500,000 rows (24 %), 12 s left`. */
function progressText(what: string, extent: Extent | null, seconds: number): string {
  const { done, total, unit, phase } = extent ?? { done: 0, total: 0, unit: '' };
  const head = phase === undefined ? what : `${what} (${phase})`;
  const time =
    phase !== undefined || done === 0
      ? `${roughDuration(seconds)} so far`
      : `${roughDuration((seconds * (total - done)) / done)} left`;
  if (total === 0) return `${head}, ${time}`;
  return `${head}: ${grouped(done)} of ${counted(total, unit)} (${Math.floor((100 * done) / total)} %), ${time}`;
}
