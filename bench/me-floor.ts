import { join } from 'node:path';
import { ask, bearer } from './ask.ts';
import { meLatency } from './me-latency.ts';
import { allCores, freePort, script, startServer } from './processes.ts';
import { signaturesAside } from './signing-rate.ts';
import type { MeSample } from './token-work.ts';
import { untilReady } from './until-ready.ts';

/**
 * What the machine itself makes of a quick answer while all its cores sign: a bare server in the place of Vestibule,
 * and the signatures in another process at the lowest priority. Nobody who signs as much can be quicker than that.
 */
export async function measureMeFloor(folder: string, seconds: number): Promise<MeSample> {
  const port = await freePort();
  const answer = { headers: { 'content-type': 'application/json' }, body: '{}' };
  const server = startServer(script('peers/bare.ts', { port, answer }), join(folder, 'floor.log'), allCores);
  const origin = `http://127.0.0.1:${port}`;
  try {
    await untilReady('bare', server, async () => (await ask(origin, bearer('any'))).status === 200);
    const alone = await meLatency(origin, 'any', seconds);
    const signing = signaturesAside('RS256', seconds + 3);
    const loaded = await meLatency(origin, 'any', seconds);
    return { alone, loaded, tokensPerSecond: (await signing).perSecond };
  } finally {
    await server.stop();
  }
}
