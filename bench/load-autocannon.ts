import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import { printSeen } from './autocannon-result.ts';
import { readGiven } from './child.ts';
import type { Load } from './load.ts';

/** The load where wrk is not at hand: the same walk through the tokens, printed in the same form. */
const load = readGiven<Load & { connections: number }>();
const { url, tokens, skip, count, seconds, connections } = load;
const lines = readFileSync(tokens.path, 'utf8')
  .split('\n')
  .slice(skip, skip + count);

let connected = 0;
const result = await autocannon({
  url,
  connections,
  timeout: 10,
  // It looks only so often, in milliseconds, whether it is through, and the time it tells is that of its last look.
  sampleInt: 10,
  ...(seconds === null ? { amount: count } : { duration: seconds }),
  // A connection walks through its own part only: with one list for all, each would send every token.
  setupClient(client) {
    const part = connected++;
    const own = lines.filter((_token, index) => index % connections === part % connections);
    client.setRequests(own.map((token) => ({ headers: { authorization: `Bearer ${token}` } })));
  },
});
printSeen(result);
