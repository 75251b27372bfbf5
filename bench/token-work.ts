import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSeconds, residentMegabytes } from './counters.ts';
import type { LoadGenerator } from './load.ts';
import { type PostLoad, sendPosts } from './load-token.ts';
import { type MeLatency, meLatency } from './me-latency.ts';
import { type SigningRate, signingRate } from './signing-rate.ts';
import type { TokenPeer } from './token-line-up.ts';
import { checkTokenPeer, type ReadyTokenPeer, startTokenPeer, type TokenStage } from './token-stage.ts';

export interface TokenSample {
  readonly tokensPerSecond: number;
  readonly ofSigningRate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMilliseconds: number;
  readonly residentMegabytes: number;
}

/** GET /me on a process without and with a load of tokens. */
export interface MeSample {
  readonly alone: MeLatency;
  readonly loaded: MeLatency;
  readonly tokensPerSecond: number;
}

export interface TokenRound {
  readonly signing: SigningRate;
  readonly tokens: TokenSample;
  readonly me: MeSample | null;
}

export interface TokenPlan {
  readonly generator: LoadGenerator;
  readonly seconds: number;
}

/** At a hundred a second a p99 needs a while. */
const meTimes = 3;

/** One peer, one fresh process: tokens as fast as they come, then /me without and with them. */
export async function measureTokenPeer(
  peer: TokenPeer,
  stage: TokenStage,
  plan: TokenPlan,
): Promise<TokenRound> {
  const { generator, seconds } = plan;
  const ready = await startTokenPeer(peer, stage);
  const load = (duration: number): PostLoad => {
    return { url: `${ready.origin}/token`, ...peer.post(ready.credentials), seconds: duration };
  };
  try {
    await checkTokenPeer(peer, ready);
    // As long as the measurement: signatures are slow, so it takes a while until the code is compiled.
    await sendPosts(generator, load(seconds));
    // Before and after, so that a machine that grows slower or faster meanwhile favours nobody.
    const before = await signingRate(peer.algorithm, seconds);
    const sent = await measure(ready, generator, load(seconds));
    const signing = mean(before, await signingRate(peer.algorithm, seconds));
    const tokens = { ...sent, ofSigningRate: sent.tokensPerSecond / signing.perSecond };
    const me = peer.servesMe ? await measureMe(ready, stage, plan, load) : null;
    return { signing, tokens, me };
  } finally {
    await ready.server.stop();
  }
}

async function measure({ server }: ReadyTokenPeer, generator: LoadGenerator, load: PostLoad) {
  const before = cpuSeconds(server.pid);
  const { requests, seconds, p50Ms, p99Ms } = await sendPosts(generator, load);
  const spent = cpuSeconds(server.pid) - before;
  return {
    tokensPerSecond: requests / seconds,
    p50Ms,
    p99Ms,
    cpuMilliseconds: (spent * 1e3) / requests,
    residentMegabytes: residentMegabytes(server.pid),
  };
}

async function measureMe(
  { origin }: ReadyTokenPeer,
  { goodToken }: TokenStage,
  { generator, seconds }: TokenPlan,
  load: (seconds: number) => PostLoad,
): Promise<MeSample> {
  const lasts = seconds * meTimes;
  const alone = await meLatency(origin, goodToken, lasts);
  // The load starts before the probe, and lasts until after it.
  const [{ requests, seconds: took }, loaded] = await Promise.all([
    sendPosts(generator, load(lasts + 4)),
    sleep(1_000).then(() => meLatency(origin, goodToken, lasts)),
  ]);
  return { alone, loaded, tokensPerSecond: requests / took };
}

function mean(one: SigningRate, other: SigningRate): SigningRate {
  return {
    perSecond: (one.perSecond + other.perSecond) / 2,
    cpuMilliseconds: (one.cpuMilliseconds + other.cpuMilliseconds) / 2,
  };
}
