import type { Durability } from './durability.ts';
import type { RecordsMeasured } from './records-rounds.ts';
import type { RecordSample, RecordsMeSample, RecordsRound, RecordWork, Written } from './records-work.ts';
import { recordWorks } from './records-work.ts';
import { type MeSummary, type Middle, middle } from './token-summary.ts';

export type RecordsFigures = { readonly [K in keyof RecordSample]: Middle };

/** A peer with so many records. */
export interface PlaceSummary {
  readonly peer: string;
  readonly title: string;
  readonly size: number;
  readonly works: Readonly<Record<RecordWork, RecordsFigures>>;
  readonly me: RecordsMeSummary | null;
}

export type RecordsMeSummary = Omit<MeSummary, 'tokensPerSecond'> & { readonly writesPerSecond: Middle };

/** With the most records against the fewest: medians of the rounds' own ratios. */
export interface GrowthSummary {
  readonly peer: string;
  readonly title: string;
  readonly from: number;
  readonly to: number;
  /** By the CPU of a request, the database's own with it. */
  readonly cost: Readonly<Record<RecordWork, Middle>>;
  /** By the time of a request under full load: the other way round than requests a second. */
  readonly time: Readonly<Record<RecordWork, Middle>>;
}

export interface RecordsSummary {
  readonly places: readonly PlaceSummary[];
  readonly growth: readonly GrowthSummary[];
  readonly durability: Readonly<Record<string, Durability & Written>>;
}

export function summariseRecords({ places, durability }: RecordsMeasured): RecordsSummary {
  const summaries = places.map(({ peer, size, rounds }): PlaceSummary => {
    const works = eachWork((work) => figures(rounds.map((round) => round[work])));
    const me = summariseMe(rounds.flatMap((round) => round.me ?? []));
    return { peer: peer.name, title: peer.title, size, works, me };
  });
  const growth = [...Map.groupBy(places, ({ peer }) => peer)].flatMap(([{ name, title }, own]) => {
    const [few, many] = [own[0], own.at(-1)];
    if (few === undefined || many === undefined || few === many) return [];
    const ratios = (of: (sample: RecordSample) => number) =>
      eachWork((work) =>
        middle(many.rounds.map((round, index) => of(round[work]) / of((few.rounds[index] ?? round)[work]))),
      );
    const cost = ratios((sample) => sample.cpuMicroseconds + sample.databaseCpuMicroseconds);
    const time = ratios((sample) => 1 / sample.requestsPerSecond);
    return [{ peer: name, title, from: few.size, to: many.size, cost, time }];
  });
  const byName = [...durability].map(([peer, found]) => {
    const rounds = places.filter((place) => place.peer === peer).flatMap((place) => place.rounds);
    const sum = (which: keyof Written) => rounds.reduce((total, { written }) => total + written[which], 0);
    return [peer.name, { ...found, answered: sum('answered'), lost: sum('lost') }] as const;
  });
  return { places: summaries, growth, durability: Object.fromEntries(byName) };
}

function summariseMe(own: readonly RecordsMeSample[]): RecordsMeSummary | null {
  if (own.length === 0) return null;
  const of = (value: (sample: RecordsMeSample) => number) => middle(own.map(value));
  const sum = (value: (sample: RecordsMeSample) => number) =>
    own.reduce((total, sample) => total + value(sample), 0);
  return {
    aloneP50Ms: of(({ alone }) => alone.p50Ms),
    aloneP99Ms: of(({ alone }) => alone.p99Ms),
    loadedP50Ms: of(({ loaded }) => loaded.p50Ms),
    loadedP99Ms: of(({ loaded }) => loaded.p99Ms),
    p99Ratio: of(({ alone, loaded }) => loaded.p99Ms / alone.p99Ms),
    writesPerSecond: of(({ writesPerSecond }) => writesPerSecond),
    sent: sum(({ alone, loaded }) => alone.sent + loaded.sent),
    lost: sum(({ alone, loaded }) => alone.lost + loaded.lost),
  };
}

function eachWork<T>(of: (work: keyof RecordsRound & RecordWork) => T): Readonly<Record<RecordWork, T>> {
  return Object.fromEntries(recordWorks.map((work) => [work, of(work)])) as Record<RecordWork, T>;
}

function figures(samples: readonly RecordSample[]): RecordsFigures {
  const names = Object.keys(samples[0] ?? {}) as (keyof RecordSample)[];
  const entries = names.map((name) => [name, middle(samples.map((sample) => sample[name]))]);
  return Object.fromEntries(entries) as RecordsFigures;
}
