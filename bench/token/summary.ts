import { type MeSummary, summariseMe } from '../me-under-load/table.ts';
import type { Rounds } from '../shared/rounds.ts';
import { type Middle, type Middles, middle, middles } from '../shared/statistics.ts';
import type { TokenPeer } from './line-up.ts';
import { type RefusalKind, type RefusalRound, refusalKinds } from './refusal-timing.ts';
import type { Algorithm, SigningRate } from './signing-rate.ts';
import type { TokenRound, TokenSample } from './work.ts';

export interface TokenPeerSummary {
  readonly title: string;
  readonly algorithm: Algorithm;
  readonly signing: Middles<SigningRate>;
  readonly tokens: Middles<TokenSample>;
  readonly me: MeSummary | null;
}

/** By the name of the peer. */
export type TokenSummaries = Readonly<Record<string, TokenPeerSummary>>;

interface RefusalPairSummary {
  readonly kinds: readonly [RefusalKind, RefusalKind];
  readonly differenceMicroseconds: Middle;
  /** Whichever of the two is first, so that rounds with opposite signs do not look like a small one. */
  readonly t: Middle;
  readonly tWithoutSlowest: Middle;
}

export interface RefusalSummary {
  readonly meanMicroseconds: Readonly<Record<RefusalKind, Middle>>;
  readonly pairs: readonly RefusalPairSummary[];
}

export function summariseTokens(peers: Rounds<TokenPeer, TokenRound>): TokenSummaries {
  const summaries = [...peers].map(([{ name, title, algorithm }, rounds]) => {
    const signing = middles(rounds.map((round) => round.signing));
    const tokens = middles(rounds.map((round) => round.tokens));
    const me = summariseMe(rounds.flatMap((round) => round.me ?? []));
    return [name, { title, algorithm, signing, tokens, me }] as const;
  });
  return Object.fromEntries(summaries);
}

export function summariseRefusals(rounds: readonly RefusalRound[]): RefusalSummary {
  const means = refusalKinds.map((kind) => [
    kind,
    middle(rounds.map(({ meanMicroseconds }) => meanMicroseconds[kind])),
  ]);
  const pairs = (rounds[0]?.pairs ?? []).map(({ kinds }, index): RefusalPairSummary => {
    const own = rounds.flatMap((round) => round.pairs[index] ?? []);
    return {
      kinds,
      differenceMicroseconds: middle(own.map((pair) => pair.differenceMicroseconds)),
      t: middle(own.map((pair) => Math.abs(pair.t))),
      tWithoutSlowest: middle(own.map((pair) => Math.abs(pair.tWithoutSlowest))),
    };
  });
  return { meanMicroseconds: Object.fromEntries(means) as RefusalSummary['meanMicroseconds'], pairs };
}
