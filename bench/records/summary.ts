import { type MeSummary, summariseMe } from '../me-under-load/table.ts';
import type { Rounds } from '../shared/rounds.ts';
import { type Middle, type Middles, middle, middles, sum } from '../shared/statistics.ts';
import type { Durability } from './durability.ts';
import type { Place, RecordsPeer } from './peer.ts';
import { type RecordSample, type RecordsRound, type Work, type Written, works } from './work.ts';

/** A peer with so many records. */
interface PlaceSummary {
  readonly peer: string;
  readonly title: string;
  readonly size: number;
  readonly works: Readonly<Record<Work, Middles<RecordSample>>>;
  readonly me: MeSummary | null;
}

/** With the most records against the fewest: medians of the rounds' own ratios. */
interface GrowthSummary {
  readonly peer: string;
  readonly title: string;
  readonly from: number;
  readonly to: number;
  /** By the CPU of a request, the database's own with it. */
  readonly cost: Readonly<Record<Work, Middle>>;
  /** By the time of a request under full load: the other way round than requests a second. */
  readonly time: Readonly<Record<Work, Middle>>;
}

export interface RecordsSummary {
  readonly places: readonly PlaceSummary[];
  readonly growth: readonly GrowthSummary[];
  readonly durability: Readonly<Record<string, Durability & Written>>;
}

export function summarise(
  rounds: Rounds<Place, RecordsRound>,
  durability: ReadonlyMap<RecordsPeer, Durability>,
): RecordsSummary {
  const places = [...rounds].map(([{ peer, size }, own]): PlaceSummary => {
    const each = eachWork((work) => middles(own.map((round) => round[work])));
    const me = summariseMe(own.flatMap((round) => round.me ?? []));
    return { peer: peer.name, title: peer.title, size, works: each, me };
  });
  const byPeer = Map.groupBy(rounds, ([{ peer }]) => peer);
  const found = [...durability].map(([peer, own]) => {
    const all = (byPeer.get(peer) ?? []).flatMap(([, each]) => each);
    const total = (which: keyof Written) => sum(all.map(({ written }) => written[which]));
    return [peer.name, { ...own, answered: total('answered'), lost: total('lost') }] as const;
  });
  const growth = [...byPeer].flatMap(([{ name, title }, own]) => growthOf(name, title, own));
  return { places, growth, durability: Object.fromEntries(found) };
}

function growthOf(
  peer: string,
  title: string,
  own: readonly (readonly [Place, readonly RecordsRound[]])[],
): GrowthSummary[] {
  const [few, many] = [own[0], own.at(-1)];
  if (few === undefined || many === undefined || few === many) return [];
  const ratios = (of: (sample: RecordSample) => number) =>
    eachWork((work) =>
      middle(many[1].map((round, index) => of(round[work]) / of((few[1][index] ?? round)[work]))),
    );
  const cost = ratios((sample) => sample.cpuMicroseconds + sample.databaseCpuMicroseconds);
  const time = ratios((sample) => 1 / sample.requestsPerSecond);
  return [{ peer, title, from: few[0].size, to: many[0].size, cost, time }];
}

function eachWork<T>(of: (work: Work) => T): Readonly<Record<Work, T>> {
  return Object.fromEntries(works.map((work) => [work, of(work)])) as Record<Work, T>;
}
