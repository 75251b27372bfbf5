import { join } from 'node:path';
import { type MeSample, type OtherWork, sampleMe } from '../me-under-load/sample.ts';
import { send, writeRequests } from '../shared/load.ts';
import { allCores } from '../shared/processes.ts';
import { type Sample, takeSample } from '../shared/sample.ts';
import type { Stage } from '../shared/stage.ts';
import { mean } from '../shared/statistics.ts';
import type { TokenPeer } from './line-up.ts';
import { type SigningRate, signingRate } from './signing-rate.ts';
import { checkTokenPeer, startTokenPeer } from './start.ts';

export interface TokenSample extends Sample {
  readonly ofSigningRate: number;
}

export interface TokenRound {
  readonly signing: SigningRate;
  readonly tokens: TokenSample;
  readonly me: MeSample | null;
}

/** At a hundred a second a p99 needs a while. */
const meTimes = 3;

/** One peer, one fresh process: tokens as fast as they come, then /me without and with them. */
export async function measureTokenPeer(peer: TokenPeer, stage: Stage): Promise<TokenRound> {
  const { seconds } = stage.options;
  const ready = await startTokenPeer(peer, stage);
  const { server, origin, folder } = ready;
  const { contentType, body } = peer.post(ready.credentials);
  // The same request over and over. As many wait for a signature as there are connections: always more than there
  // are cores to make them, and far fewer than anybody here would refuse.
  const requests = writeRequests(join(folder, 'token.txt'), [{ method: 'POST', path: '/token', body }]);
  const headers = { 'content-type': contentType };
  const load: OtherWork = (lasts, perSecond) =>
    send(
      stage.generator,
      { origin, requests, headers, seconds: lasts, ...(perSecond === null ? {} : { perSecond }) },
      allCores,
    );
  try {
    await checkTokenPeer(peer, ready);
    // As long as the measurement: signatures are slow, so it takes a while until the code is compiled.
    await load(seconds, null);
    // Before and after, so that a machine that changes its speed favours no peer.
    const before = await signingRate(peer.algorithm, seconds);
    const sample = await takeSample(server.pid, () => load(seconds, null));
    const after = await signingRate(peer.algorithm, seconds);
    const signing = {
      perSecond: mean([before.perSecond, after.perSecond]),
      cpuMicroseconds: mean([before.cpuMicroseconds, after.cpuMicroseconds]),
    };
    const maxPerSecond = sample.requestsPerSecond;
    const tokens = { ...sample, ofSigningRate: maxPerSecond / signing.perSecond };
    const me = peer.servesMe
      ? await sampleMe(origin, stage.goodToken, seconds * meTimes, maxPerSecond, load)
      : null;
    return { signing, tokens, me };
  } finally {
    await server.stop();
  }
}
