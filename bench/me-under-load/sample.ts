import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadResult } from '../shared/load.ts';
import { type MeLatency, meLatency } from './latency.ts';

/** GET /me while the process does other work, and how much of that it did. */
export interface LoadedLatency extends MeLatency {
  readonly otherPerSecond: number;
}

/** GET /me on a process that does nothing else, half of the other work that it can, and all of it. */
export interface MeSample {
  readonly alone: MeLatency;
  readonly half: LoadedLatency;
  readonly full: LoadedLatency;
}

/** The other work: for so many seconds, and so many a second; null is as many as it takes. */
export type OtherWork = (seconds: number, perSecond: number | null) => Promise<LoadResult>;

/** `maxPerSecond` is how much of the other work the process was seen to do in a second. */
export async function sampleMe(
  origin: string,
  token: string,
  seconds: number,
  maxPerSecond: number,
  work: OtherWork,
): Promise<MeSample> {
  const beside = async (perSecond: number | null): Promise<LoadedLatency> => {
    // The load starts before the probe, and lasts until after it.
    const [{ requests, seconds: took }, latency] = await Promise.all([
      work(seconds + 4, perSecond),
      sleep(1_000).then(() => meLatency(origin, token, seconds)),
    ]);
    return { ...latency, otherPerSecond: requests / took };
  };
  const alone = await meLatency(origin, token, seconds);
  return { alone, half: await beside(maxPerSecond / 2), full: await beside(null) };
}

export function meInShort({ alone, half, full }: MeSample): string {
  const p99 = [alone, half, full].map(({ p99Ms }) => p99Ms.toFixed(2)).join(' -> ');
  return `/me p99 ${p99} ms, lost ${alone.lost + half.lost + full.lost}`;
}
