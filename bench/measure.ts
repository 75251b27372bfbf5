import { cpuSeconds, residentMegabytes } from './counters.ts';
import type { Peer } from './line-up.ts';
import { type Load, type LoadGenerator, send, spareTokens } from './load.ts';
import { check, type Stage, startPeer } from './stage.ts';
import { callers, type TokenFile } from './tokens.ts';

/** What is told of one work of one peer in one round. */
export interface Sample {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMicroseconds: number;
  readonly residentMegabytes: number;
}

/** The two works: 2,000 tokens in turn, all seen before, and tokens of which none was ever seen. */
export const works = ['seen', 'new'] as const;
export type Work = (typeof works)[number];

export type Round = { readonly readyMs: number } & Readonly<Record<Work, Sample>>;

export interface Plan {
  readonly generator: LoadGenerator;
  readonly tokens: TokenFile;
  readonly seconds: number;
  readonly newTokens: number;
}

/** The parts of the token file, in order. Spare ones stand between them, so that none is ever sent twice. */
export function partsOf(newTokens: number) {
  const warmUp = { skip: callers + spareTokens, count: Math.min(newTokens, 2_000) };
  const measured = { skip: warmUp.skip + warmUp.count + spareTokens, count: newTokens };
  const total = measured.skip + measured.count + spareTokens;
  return { seen: { skip: 0, count: callers }, warmUp, measured, total };
}

/** One peer, one fresh process, both works; null when this machine does not have it. */
export async function measurePeer(peer: Peer, stage: Stage, plan: Plan): Promise<Round | null> {
  const { generator, tokens, seconds, newTokens } = plan;
  const ready = await startPeer(peer, stage);
  if (ready === null) return null;
  const { server, url, readyMs } = ready;
  const parts = partsOf(newTokens);
  const load = (part: { skip: number; count: number }, duration: number | null): Load => {
    return { url, tokens, ...part, seconds: duration };
  };
  try {
    await check(peer, url, stage);
    // Each once, so that all have been seen; then until the engine has compiled what there is to compile, and has
    // thought again where it did so too early.
    await send(generator, load(parts.seen, null));
    await send(generator, load(parts.seen, 2 * seconds));
    const seen = await measure(server.pid, generator, load(parts.seen, seconds));
    await send(generator, load(parts.warmUp, null));
    const fresh = await measure(server.pid, generator, load(parts.measured, null));
    return { readyMs, seen, new: fresh };
  } finally {
    await server.stop();
  }
}

async function measure(pid: number, generator: LoadGenerator, load: Load): Promise<Sample> {
  const before = cpuSeconds(pid);
  const { requests, seconds, p50Ms, p99Ms } = await send(generator, load);
  const spent = cpuSeconds(pid) - before;
  return {
    requestsPerSecond: requests / seconds,
    p50Ms,
    p99Ms,
    cpuMicroseconds: (spent * 1e6) / requests,
    residentMegabytes: residentMegabytes(pid),
  };
}
