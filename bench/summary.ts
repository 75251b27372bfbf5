import type { Peer } from './line-up.ts';
import { type Round, type Sample, type Work, works } from './measure.ts';

export const measures = [
  'requestsPerSecond',
  'p50Ms',
  'p99Ms',
  'cpuMicroseconds',
  'residentMegabytes',
] as const satisfies readonly (keyof Sample)[];
export type Measure = (typeof measures)[number];

export interface Figure {
  /** The median of the rounds. */
  readonly value: number;
  /** The median of the rounds' own ratios to bare: what slowed a whole round down slowed both. */
  readonly ratio: number;
  /** From the lowest round to the highest, as a part of the median: how far to trust it. */
  readonly spread: number;
}

export type PeerSummary = { readonly title: string; readonly readyMs: number } & Readonly<
  Record<Work, Readonly<Record<Measure, Figure>>>
>;

/** The rounds of each peer, by its name. */
export type Rounds = ReadonlyMap<Peer, readonly Round[]>;

export function summarise(rounds: Rounds, floor: readonly Round[]): Readonly<Record<string, PeerSummary>> {
  const summaries: Record<string, PeerSummary> = {};
  for (const [{ name, title }, own] of rounds) {
    const figures = works.map((work) => {
      const all = measures.map((measure) => [measure, figure(own, floor, work, measure)] as const);
      return [work, Object.fromEntries(all)] as const;
    });
    const readyMs = rounded(median(own.map((round) => round.readyMs)));
    summaries[name] = { title, readyMs, ...Object.fromEntries(figures) } as PeerSummary;
  }
  return summaries;
}

function figure(own: readonly Round[], floor: readonly Round[], work: Work, measure: Measure): Figure {
  const values = own.map((round) => round[work][measure]);
  const ratios = values.map((value, index) => value / (floor[index]?.[work][measure] ?? Number.NaN));
  const middle = median(values);
  return {
    value: rounded(middle),
    ratio: rounded(median(ratios)),
    spread: rounded((Math.max(...values) - Math.min(...values)) / middle),
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** Three digits that count; more would be noise. */
export function rounded(value: number): number {
  return Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
}
