import { counted, shown, table } from '../shared/markdown.ts';
import { type Middle, middle, sum } from '../shared/statistics.ts';
import { mePerSecond } from './latency.ts';
import type { MeSample } from './sample.ts';

interface LatencySummary {
  readonly p50Ms: Middle;
  readonly p99Ms: Middle;
}

interface LoadedSummary extends LatencySummary {
  /** To the p99 of /me alone: the median of the rounds' own ratios. */
  readonly p99Ratio: Middle;
  readonly otherPerSecond: Middle;
}

export interface MeSummary {
  readonly alone: LatencySummary;
  readonly half: LoadedSummary;
  readonly full: LoadedSummary;
  /** Of all rounds together. */
  readonly sent: number;
  readonly lost: number;
}

/** Null for a peer that does not serve /me. */
export function summariseMe(samples: readonly MeSample[]): MeSummary | null {
  if (samples.length === 0) return null;
  const latency = (which: keyof MeSample): LatencySummary => ({
    p50Ms: middle(samples.map((sample) => sample[which].p50Ms)),
    p99Ms: middle(samples.map((sample) => sample[which].p99Ms)),
  });
  const loaded = (which: 'half' | 'full'): LoadedSummary => ({
    ...latency(which),
    p99Ratio: middle(samples.map((sample) => sample[which].p99Ms / sample.alone.p99Ms)),
    otherPerSecond: middle(samples.map((sample) => sample[which].otherPerSecond)),
  });
  const total = (which: 'sent' | 'lost') =>
    sum(samples.flatMap(({ alone, half, full }) => [alone, half, full].map((latency) => latency[which])));
  return {
    alone: latency('alone'),
    half: loaded('half'),
    full: loaded('full'),
    sent: total('sent'),
    lost: total('lost'),
  };
}

/** A row for each load: none, half, and all of the other work. */
export function meTable(other: string, rows: readonly (readonly [title: string, me: MeSummary])[]): string {
  const figures = ({ p50Ms, p99Ms }: LatencySummary) => [shown(p50Ms.value), shown(p99Ms.value)];
  const loaded = (own: LoadedSummary) => [
    ...figures(own),
    own.p99Ratio.value.toFixed(2),
    shown(own.otherPerSecond.value),
  ];
  return table(
    `**GET /me on the same process, ${mePerSecond} a second: alone, beside half of the ${other} it can take, and beside all of them**`,
    ['p50 ms', 'p99 ms', 'ratio of p99', `${other}/s meanwhile`, 'lost in all'],
    rows.flatMap(([title, me]) => [
      [`${title}, alone`, ...figures(me.alone), '1.00', 'none', `${me.lost} of ${counted(me.sent)}`],
      [`${title}, at half`, ...loaded(me.half), ''],
      [`${title}, at full`, ...loaded(me.full), ''],
    ]),
  );
}
