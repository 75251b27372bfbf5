import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { bearer } from '../shared/ask.ts';
import { printResult, readGiven } from '../shared/child.ts';

/** Writes by the clock, whether answers come or not, until it is ended; then prints when each was sent and how long it took. */
export interface WritesProbe {
  readonly url: string;
  /** On each line a token, a tab and a body. */
  readonly requestsFile: string;
  readonly perSecond: number;
}

export interface ProbedWrites {
  readonly sentAt: readonly number[];
  /** Milliseconds; null for any answer but 201, and for none. */
  readonly tookMs: readonly (number | null)[];
  /** Why writes failed, and how many by each reason. */
  readonly failures: Readonly<Record<string, number>>;
}

const { url, requestsFile, perSecond } = readGiven<WritesProbe>();
const requests = readFileSync(requestsFile, 'utf8')
  .split('\n')
  .map((line) => line.split('\t'));
const agent = new Agent({ keepAlive: true });
const writes: { readonly sentAt: number; readonly took: Promise<number | null> }[] = [];
const failures: Record<string, number> = {};
let isEnded = false;
process.once('SIGTERM', () => {
  isEnded = true;
});

// A probe that waits for a core would measure itself. Not every user is allowed to do this.
try {
  setPriority(-10);
} catch {}

const startedAt = performance.now();
while (!isEnded) {
  const waitMs = startedAt + (writes.length * 1000) / perSecond - performance.now();
  await sleep(Math.max(waitMs, 0));
  const [token, body = ''] = requests[writes.length % requests.length] ?? [];
  writes.push({ sentAt: Date.now(), took: write(token, body) });
}
const tookMs = await Promise.all(writes.map(({ took }) => took));
printResult({ sentAt: writes.map(({ sentAt }) => sentAt), tookMs, failures } satisfies ProbedWrites);
agent.destroy();

function write(token: string | undefined, body: string): Promise<number | null> {
  const { promise, resolve } = Promise.withResolvers<number | null>();
  const sentAt = performance.now();
  const headers = { ...bearer(token), 'content-type': 'application/json' };
  const fail = (reason: string) => {
    failures[reason] = (failures[reason] ?? 0) + 1;
    resolve(null);
  };
  const asked = request(url, { method: 'POST', agent, headers, timeout: 4_000 }, (response) => {
    response.on('error', ({ message }) => fail(message));
    response.on('end', () =>
      response.statusCode === 201
        ? resolve(performance.now() - sentAt)
        : fail(`answered with ${response.statusCode}`),
    );
    response.resume();
  });
  asked.on('timeout', () => asked.destroy(new Error('no answer')));
  asked.on('error', ({ message }) => fail(message));
  asked.end(body);
  return promise;
}
