import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { readGiven } from './child.ts';
import { eventsPath } from './stage.ts';

/** Opens many streams, says when they are, and holds them until it is ended. */
interface Given {
  readonly origin: string;
  /** One on each line. */
  readonly tokensFile: string;
  readonly count: number;
}

const { origin, tokensFile, count } = readGiven<Given>();
const tokens = readFileSync(tokensFile, 'utf8').split('\n');
let open = 0;
const atOnce = 100;
for (let from = 0; from < count; from += atOnce) {
  const opening = Array.from({ length: Math.min(atOnce, count - from) }, (_, index) =>
    hold(tokens[(from + index) % tokens.length] ?? ''),
  );
  await Promise.all(opening);
}
process.stdout.write(`${open} open\n`);
await sleep(600_000);

function hold(token: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
  request(`${origin}${eventsPath}`, { headers, agent: false }, (response) => {
    if (response.statusCode !== 200) return reject(new Error(`${response.statusCode}`));
    response.once('data', () => {
      open += 1;
      resolve();
    });
    response.resume();
  })
    .on('error', reject)
    .end();
  return promise;
}
