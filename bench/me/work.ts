import { type RequestFile, send, spareRequests } from '../shared/load.ts';
import { type Sample, takeSample } from '../shared/sample.ts';
import { callers } from '../shared/tokens.ts';
import type { Peer } from './line-up.ts';
import { checkPeer, type MeStage, startPeer } from './start.ts';

/** The two works: 2,000 tokens in turn, all seen before, and tokens of which none was ever seen. */
export const works = ['seen', 'new'] as const;
export type Work = (typeof works)[number];

export type Round = { readonly readyMs: number } & Readonly<Record<Work, Sample>>;

/** The parts of the request file, in order. Spare ones stand between them, so that no token is ever sent twice. */
export function partsOf(newTokens: number) {
  const warmUp = { skip: callers + spareRequests, count: Math.min(newTokens, 2_000) };
  const measured = { skip: warmUp.skip + warmUp.count + spareRequests, count: newTokens };
  const total = measured.skip + measured.count + spareRequests;
  return { seen: { skip: 0, count: callers }, warmUp, measured, total };
}

/** One peer, one fresh process, both works. */
export async function measurePeer(peer: Peer, stage: MeStage, requests: RequestFile): Promise<Round> {
  const { seconds, newTokens } = stage.options;
  const { server, origin, readyMs } = await startPeer(peer, stage, stage.answer);
  const parts = partsOf(newTokens);
  const load = (part: { skip: number; count: number }, duration: number | null) =>
    send(stage.generator, { origin, requests, part, seconds: duration });
  try {
    await checkPeer(peer, origin, stage);
    // Each once, so that all have been seen; then until V8 has compiled what there is to compile, and has compiled
    // again what it compiled too early.
    await load(parts.seen, null);
    await load(parts.seen, 2 * seconds);
    const seen = await takeSample(server.pid, () => load(parts.seen, seconds));
    await load(parts.warmUp, null);
    const fresh = await takeSample(server.pid, () => load(parts.measured, null));
    return { readyMs, seen, new: fresh };
  } finally {
    await server.stop();
  }
}
