import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import { printResult, readGiven } from './child.ts';
import type { LoadWalk } from './load.ts';

/** The load where wrk is not at hand: the same walk through the same file, printed in the same form. */
const walk = readGiven<LoadWalk>();
const { skip, count, seconds, perSecond, connections } = walk;
const requests = readFileSync(walk.path, 'utf8')
  .split('\n')
  .slice(skip, skip + count)
  .map(requestOf);

let connected = 0;
const {
  requests: sent,
  duration,
  latency,
  non2xx,
  errors,
  timeouts,
} = await autocannon({
  url: walk.origin,
  connections,
  timeout: 10,
  // It looks only so often, in milliseconds, whether it is through, and the time it tells is that of its last look.
  sampleInt: 10,
  ...(seconds === null ? { amount: count } : { duration: seconds }),
  ...(perSecond === null ? {} : { overallRate: Math.max(1, Math.round(perSecond)) }),
  // A connection walks through its own part only: with one list for all, each would send every request.
  setupClient(client) {
    const part = connected++ % connections;
    const own = requests.filter((_request, index) => index % connections === part);
    client.setRequests(own.length > 0 ? own : requests);
  },
});
printResult({
  requests: sent.total,
  seconds: duration,
  p50Ms: latency.p50,
  p99Ms: latency.p99,
  refused: non2xx,
  failed: errors + timeouts,
});

function requestOf(line: string): autocannon.Request {
  const [method, path = '/', token, proof, body] = line.split('\t');
  return {
    method: method === 'POST' ? 'POST' : 'GET',
    path,
    headers: { ...walk.headers, ...credentials(token, proof) },
    ...(body ? { body } : {}),
  };
}

function credentials(token: string | undefined, proof: string | undefined): Record<string, string> {
  if (!token) return {};
  return proof ? { authorization: `DPoP ${token}`, dpop: proof } : { authorization: `Bearer ${token}` };
}
