import type { LoadGenerator } from './load.ts';
import { measureMeFloor } from './me-floor.ts';
import type { Options } from './options.ts';
import { measureRefusals, type RefusalRound } from './refusal-timing.ts';
import { type TokenPeer, tokenLineUp } from './token-line-up.ts';
import type { TokenStage } from './token-stage.ts';
import { type MeSample, measureTokenPeer, meTimes, type TokenRound } from './token-work.ts';

export interface TokenRounds {
  readonly peers: ReadonlyMap<TokenPeer, readonly TokenRound[]>;
  /** A bare server beside nothing but signatures. */
  readonly floor: readonly MeSample[];
  readonly refusals: readonly RefusalRound[];
}

/** How many refusals of each kind are timed in a round. */
export function refusalSamples({ partial }: Options): number {
  return partial ? 500 : 10_000;
}

/** All token work, round by round: a slow minute of the machine then falls on everybody. */
export async function measureTokens(
  stage: TokenStage,
  generator: LoadGenerator,
  options: Options,
  say: (line: string) => void,
): Promise<TokenRounds> {
  const peers = new Map<TokenPeer, TokenRound[]>();
  const refusals: RefusalRound[] = [];
  const floor: MeSample[] = [];
  for (let number = 1; number <= options.repeat; number++) {
    for (const peer of tokenLineUp) {
      const plan = { generator, seconds: options.seconds };
      const round = await measureTokenPeer(peer, stage, plan).catch((cause) => {
        throw new Error(`${peer.name}: ${cause.message}`, { cause });
      });
      peers.set(peer, [...(peers.get(peer) ?? []), round]);
      say(`round ${number}  ${peer.name.padEnd(20)}${inShort(round)}`);
    }
    const bare = await measureMeFloor(stage.folder, meTimes * options.seconds);
    floor.push(bare);
    say(
      `round ${number}  bare beside signatures  p99 ${bare.alone.p99Ms.toFixed(2)} -> ${bare.loaded.p99Ms.toFixed(2)} ms`,
    );
    const round = await measureRefusals(stage, refusalSamples(options));
    refusals.push(round);
    const said = round.pairs.map(({ t }) => t.toFixed(1)).join(', ');
    say(`round ${number}  refusals told apart by time: t ${said}`);
  }
  return { peers, floor, refusals };
}

function inShort({ tokens, signing, me }: TokenRound): string {
  const { tokensPerSecond, ofSigningRate } = tokens;
  const rates = `${tokensPerSecond.toFixed(0)}/s of ${signing.perSecond.toFixed(0)} (${ofSigningRate.toFixed(2)})`;
  if (me === null) return rates;
  const { alone, loaded } = me;
  const lost = alone.lost + loaded.lost;
  return `${rates}  /me p99 ${alone.p99Ms.toFixed(2)} -> ${loaded.p99Ms.toFixed(2)} ms, lost ${lost}`;
}
