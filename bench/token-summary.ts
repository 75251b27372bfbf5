import { type RefusalKind, refusalKinds } from './refusal-timing.ts';
import type { Algorithm, SigningRate } from './signing-rate.ts';
import { median, rounded } from './summary.ts';
import type { TokenRounds } from './token-rounds.ts';
import type { MeSample, TokenSample } from './token-work.ts';

/** The median of the rounds; the spread is from the lowest to the highest, as a part of it. */
export interface Middle {
  readonly value: number;
  readonly spread: number;
}

type Middles<T> = { readonly [K in keyof T]: Middle };

export interface TokenPeerSummary {
  readonly title: string;
  readonly algorithm: Algorithm;
  readonly signing: Middles<SigningRate>;
  readonly tokens: Middles<TokenSample>;
  readonly me: MeSummary | null;
}

export interface MeSummary {
  readonly aloneP50Ms: Middle;
  readonly aloneP99Ms: Middle;
  readonly loadedP50Ms: Middle;
  readonly loadedP99Ms: Middle;
  /** The median of the rounds' own ratios. */
  readonly p99Ratio: Middle;
  readonly tokensPerSecond: Middle;
  /** Of all rounds together. */
  readonly sent: number;
  readonly lost: number;
}

export interface RefusalPairSummary {
  readonly kinds: readonly [RefusalKind, RefusalKind];
  readonly differenceMicroseconds: Middle;
  /** Whichever of the two is first, so that rounds with opposite signs do not look like a small one. */
  readonly t: Middle;
  readonly tWithoutSlowest: Middle;
}

export interface TokenSummary {
  readonly peers: Readonly<Record<string, TokenPeerSummary>>;
  readonly refusals: {
    readonly meanMicroseconds: Readonly<Record<RefusalKind, Middle>>;
    readonly pairs: readonly RefusalPairSummary[];
  };
}

export function summariseTokens({ peers, refusals }: TokenRounds): TokenSummary {
  const summaries = [...peers].map(([{ name, title, algorithm }, rounds]) => {
    const signing = middles(rounds.map((round) => round.signing));
    const tokens = middles(rounds.map((round) => round.tokens));
    return [
      name,
      { title, algorithm, signing, tokens, me: summariseMe(rounds.flatMap(({ me }) => me ?? [])) },
    ] as const;
  });
  const means = refusalKinds.map((kind) => [
    kind,
    middle(refusals.map((round) => round.meanMicroseconds[kind])),
  ]);
  const pairs = (refusals[0]?.pairs ?? []).map(({ kinds }, index): RefusalPairSummary => {
    const own = refusals.flatMap((round) => round.pairs[index] ?? []);
    return {
      kinds,
      differenceMicroseconds: middle(own.map((pair) => pair.differenceMicroseconds)),
      t: middle(own.map((pair) => Math.abs(pair.t))),
      tWithoutSlowest: middle(own.map((pair) => Math.abs(pair.tWithoutSlowest))),
    };
  });
  return {
    peers: Object.fromEntries(summaries),
    refusals: { meanMicroseconds: Object.fromEntries(means), pairs },
  };
}

function summariseMe(own: readonly MeSample[]): MeSummary | null {
  if (own.length === 0) return null;
  const of = (value: (sample: MeSample) => number) => middle(own.map(value));
  const sum = (value: (sample: MeSample) => number) =>
    own.reduce((total, sample) => total + value(sample), 0);
  return {
    aloneP50Ms: of(({ alone }) => alone.p50Ms),
    aloneP99Ms: of(({ alone }) => alone.p99Ms),
    loadedP50Ms: of(({ loaded }) => loaded.p50Ms),
    loadedP99Ms: of(({ loaded }) => loaded.p99Ms),
    p99Ratio: of(({ alone, loaded }) => loaded.p99Ms / alone.p99Ms),
    tokensPerSecond: of(({ tokensPerSecond }) => tokensPerSecond),
    sent: sum(({ alone, loaded }) => alone.sent + loaded.sent),
    lost: sum(({ alone, loaded }) => alone.lost + loaded.lost),
  };
}

function middles<T extends object>(samples: readonly T[]): Middles<T> {
  const names = Object.keys(samples[0] ?? {}) as (keyof T)[];
  const entries = names.map((name) => [name, middle(samples.map((sample) => Number(sample[name])))]);
  return Object.fromEntries(entries);
}

export function middle(values: readonly number[]): Middle {
  const value = median(values);
  const spread = value === 0 ? 0 : (Math.max(...values) - Math.min(...values)) / Math.abs(value);
  return { value: rounded(value), spread: rounded(spread) };
}
