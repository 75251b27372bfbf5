import { Agent, get } from 'node:http';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { bearer } from '../shared/ask.ts';
import { printResult, readGiven } from '../shared/child.ts';
import type { MeProbe } from './latency.ts';

/**
 * Asks for /me at a fixed pace, whether the answers come or not. Time counts from the moment a request is sent, since
 * it is the fault of this process when that is late.
 */
const { url, token, perSecond, seconds } = readGiven<MeProbe>();
const agent = new Agent({ keepAlive: true });
const warmUpMs = 1_000;

// The one who holds the watch must not wait for a core. Not everybody may have that.
try {
  setPriority(-10);
} catch {}

// One after the other, so that the code is compiled and the token is known.
for (const until = performance.now() + warmUpMs; performance.now() < until; ) await ask();

const asked: Promise<number | null>[] = [];
const startedAt = performance.now();
for (let number = 0; number < seconds * perSecond; number++) {
  const waitMs = startedAt + (number * 1000) / perSecond - performance.now();
  if (waitMs > 0) await sleep(waitMs);
  asked.push(ask());
}
const answers = await Promise.all(asked);
const took = answers.filter((milliseconds) => milliseconds !== null).sort((a, b) => a - b);
const quantile = (part: number) => took[Math.ceil(took.length * part) - 1] ?? Number.NaN;
printResult({
  p50Ms: quantile(0.5),
  p99Ms: quantile(0.99),
  sent: answers.length,
  lost: answers.length - took.length,
});
agent.destroy();

/** The milliseconds until the whole answer is there; null for any answer but 200, and for none. */
function ask(): Promise<number | null> {
  const { promise, resolve } = Promise.withResolvers<number | null>();
  const sentAt = performance.now();
  const request = get(url, { agent, headers: bearer(token), timeout: 10_000 }, (response) => {
    response.on('error', () => resolve(null));
    response.on('end', () => resolve(response.statusCode === 200 ? performance.now() - sentAt : null));
    response.resume();
  });
  request.on('timeout', () => request.destroy());
  request.on('error', () => resolve(null));
  return promise;
}
