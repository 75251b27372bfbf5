import { join } from 'node:path';
import { send, spareRequests, writeRequests } from '../shared/load.ts';
import { type Sample, takeSample } from '../shared/sample.ts';
import { mePath, type Stage } from '../shared/stage.ts';
import { mean } from '../shared/statistics.ts';
import { type BoundCaller, boundRequests } from './proofs.ts';
import { startService } from './service.ts';
import { type VerifyingRate, verifyingRate } from './verifying-rate.ts';

export interface BoundRound {
  readonly verifying: VerifyingRate;
  readonly bound: Sample;
  readonly ofVerifyingRate: number;
  /** The same by the CPU that each takes, which a busy machine does not change as much. */
  readonly ofVerifyingCpu: number;
  /** By CPU, of what the core could do if a bound request were a bearer request and one check. */
  readonly ofBoth: number;
}

/** Bound tokens that were seen before, each request with a proof of its own, beside the checks that the core can do. */
export async function measureBound(callers: readonly BoundCaller[], stage: Stage): Promise<BoundRound> {
  const { seconds, newTokens: count } = stage.options;
  const { server, origin, folder } = await startService(stage);
  /** A proof counts for a minute, so they are made just before. */
  const prepare = () => {
    const requests = boundRequests(origin, callers, count + spareRequests);
    return writeRequests(join(folder, 'bound.txt'), requests);
  };
  const part = { skip: 0, count };
  try {
    // So that all callers and keys have been seen, and V8 has compiled what there is to compile.
    await send(stage.generator, { origin, requests: prepare(), part, seconds: null });
    const plain = [{ method: 'GET', path: mePath, token: stage.goodToken }] as const;
    const plainRequests = writeRequests(join(folder, 'bearer.txt'), plain);
    const askPlain = () => send(stage.generator, { origin, requests: plainRequests, seconds });
    await askPlain();
    const bearer = await takeSample(server.pid, askPlain);
    // Before and after, so that a machine that grows slower or faster meanwhile favours nobody.
    const before = await verifyingRate(seconds);
    const requests = prepare();
    const bound = await takeSample(server.pid, () =>
      send(stage.generator, { origin, requests, part, seconds: null }),
    );
    const after = await verifyingRate(seconds);
    const verifying = {
      perSecond: mean([before.perSecond, after.perSecond]),
      cpuMicroseconds: mean([before.cpuMicroseconds, after.cpuMicroseconds]),
    };
    return {
      verifying,
      bound,
      ofVerifyingRate: bound.requestsPerSecond / verifying.perSecond,
      ofVerifyingCpu: verifying.cpuMicroseconds / bound.cpuMicroseconds,
      ofBoth: (verifying.cpuMicroseconds + bearer.cpuMicroseconds) / bound.cpuMicroseconds,
    };
  } finally {
    await server.stop();
  }
}
