import type { LoadGenerator } from './load.ts';
import type { Options } from './options.ts';
import { measureRefusals, type RefusalRound } from './refusal-timing.ts';
import { type TokenPeer, tokenLineUp } from './token-line-up.ts';
import type { TokenStage } from './token-stage.ts';
import { measureTokenPeer, type TokenRound } from './token-work.ts';

export interface TokenRounds {
  readonly peers: ReadonlyMap<TokenPeer, readonly TokenRound[]>;
  readonly refusals: readonly RefusalRound[];
}

/** How many refusals of each kind are timed in a round. Each looks for one client in the database. */
export function refusalSamples({ partial }: Options): number {
  return partial ? 100 : 1_000;
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
  for (let number = 1; number <= options.repeat; number++) {
    for (const peer of tokenLineUp) {
      const plan = { generator, seconds: options.seconds };
      const round = await measureTokenPeer(peer, stage, plan).catch((cause) => {
        throw new Error(`${peer.name}: ${cause.message}`, { cause });
      });
      peers.set(peer, [...(peers.get(peer) ?? []), round]);
      say(`round ${number}  ${peer.name.padEnd(20)}${inShort(round)}`);
    }
    const round = await measureRefusals(stage, refusalSamples(options));
    refusals.push(round);
    const said = round.pairs.map(({ t }) => t.toFixed(1)).join(', ');
    say(`round ${number}  refusals told apart by time: t ${said}`);
  }
  return { peers, refusals };
}

function inShort({ tokens, signing, me }: TokenRound): string {
  const { tokensPerSecond, ofSigningRate } = tokens;
  const rates = `${tokensPerSecond.toFixed(0)}/s of ${signing.perSecond.toFixed(0)} (${ofSigningRate.toFixed(2)})`;
  if (me === null) return rates;
  const { alone, loaded } = me;
  const lost = alone.lost + loaded.lost;
  return `${rates}  /me p99 ${alone.p99Ms.toFixed(2)} -> ${loaded.p99Ms.toFixed(2)} ms, lost ${lost}`;
}
