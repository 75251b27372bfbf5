import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import { printSeen } from './autocannon-result.ts';
import { readGiven } from './child.ts';
import type { RecordLoad } from './load-records.ts';

/** The load of records where wrk is not at hand: the same walk through the same file. */
const { origin, file, headers, seconds, connections } = readGiven<RecordLoad & { connections: number }>();
const requests = readFileSync(file, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line): autocannon.Request => {
    const [method, path, token, body] = line.split('\t');
    return {
      method: method === 'POST' ? 'POST' : 'GET',
      path: path ?? '/',
      headers: {
        ...headers,
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body } : {}),
    };
  });

let connected = 0;
printSeen(
  await autocannon({
    url: origin,
    connections,
    duration: seconds,
    timeout: 10,
    sampleInt: 10,
    // A connection walks through its own part only.
    setupClient(client) {
      const part = connected++ % connections;
      client.setRequests(requests.filter((_request, index) => index % connections === part));
    },
  }),
);
