import type { Rounds } from '../shared/rounds.ts';
import { type Middle, median, middle, rounded } from '../shared/statistics.ts';
import { bare, type Peer } from './line-up.ts';
import { type Round, type Work, works } from './work.ts';

const measures = [
  'requestsPerSecond',
  'p50Ms',
  'p99Ms',
  'cpuMicroseconds',
  'residentMegabytes',
] as const satisfies readonly (keyof Round[Work])[];
type Measure = (typeof measures)[number];

export interface Figure extends Middle {
  /** The median of the rounds' own ratios to bare: what slowed a whole round down slowed both. */
  readonly ratio: number;
}

export type PeerSummary = { readonly title: string; readonly readyMs: number } & Readonly<
  Record<Work, Readonly<Record<Measure, Figure>>>
>;

/** By the name of the peer. */
export type Summaries = Readonly<Record<string, PeerSummary>>;

export function summarise(rounds: Rounds<Peer, Round>): Summaries {
  const floor = rounds.get(bare) ?? [];
  const summaries = [...rounds].map(([{ name, title }, own]) => {
    const figures = works.map((work) => {
      const all = measures.map((measure) => [measure, figure(own, floor, work, measure)] as const);
      return [work, Object.fromEntries(all)] as const;
    });
    const readyMs = rounded(median(own.map((round) => round.readyMs)));
    return [name, { title, readyMs, ...Object.fromEntries(figures) } as PeerSummary] as const;
  });
  return Object.fromEntries(summaries);
}

function figure(own: readonly Round[], floor: readonly Round[], work: Work, measure: Measure): Figure {
  const values = own.map((round) => round[work][measure]);
  const ratios = values.map((value, index) => value / (floor[index]?.[work][measure] ?? Number.NaN));
  return { ...middle(values), ratio: rounded(median(ratios)) };
}
