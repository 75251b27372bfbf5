import { Agent, type ClientRequest, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { printResult, readGiven } from '../shared/child.ts';
import { eventsPath } from '../shared/stage.ts';
import { note, notesPath } from './data.ts';

/** Writes at one process by the clock, and listens at another: how long after its answer a write is on the stream. */
interface Given {
  readonly writeTo: string;
  readonly listenTo: string;
  readonly token: string;
  readonly perSecond: number;
  readonly seconds: number;
}

const { writeTo, listenTo, token, perSecond, seconds } = readGiven<Given>();
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const authorization = `Bearer ${token}`;
const answeredAt = new Map<string, number>();
const seenAt = new Map<string, number>();

const stream = await listen();
const startedAt = performance.now();
const writes = perSecond * seconds;
for (let number = 0; number < writes; ) {
  const due = Math.min(Math.floor(((performance.now() - startedAt) / 1000) * perSecond) + 1, writes);
  for (; number < due; number += 1) write();
  await sleep(1);
}
const deadline = performance.now() + 10_000;
while ((answeredAt.size < writes || seenAt.size < writes) && performance.now() < deadline) await sleep(10);
const delays = [...answeredAt].flatMap(([id, at]) => {
  const seen = seenAt.get(id);
  return seen === undefined ? [] : [Math.max(seen - at, 0)];
});
delays.sort((one, other) => one - other);
const at = (part: number) =>
  delays[Math.min(Math.floor(delays.length * part), delays.length - 1)] ?? Number.NaN;
printResult({ writes, seen: delays.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) });
// The stream would go on.
stream.destroy();
agent.destroy();

function write(): void {
  const headers = { authorization, 'content-type': 'application/json' };
  const asked = request(`${writeTo}${notesPath}`, { method: 'POST', agent, headers }, async (response) => {
    const at = performance.now();
    let text = '';
    for await (const chunk of response) text += chunk;
    if (response.statusCode === 201) answeredAt.set(JSON.parse(text).id, at);
  });
  asked.on('error', () => {});
  asked.end(JSON.stringify(note));
}

function listen(): Promise<ClientRequest> {
  const { promise, resolve } = Promise.withResolvers<ClientRequest>();
  const headers = { authorization, accept: 'text/event-stream' };
  const stream = request(`${listenTo}${eventsPath}`, { headers, agent: false }, (response) => {
    let rest = '';
    response.on('error', () => {});
    response.on('data', (chunk) => {
      const at = performance.now();
      resolve(stream);
      const blocks = `${rest}${chunk}`.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const id = /"data":\{"id":"([^"]+)"/.exec(block)?.[1];
        if (id !== undefined) seenAt.set(id, at);
      }
    });
  });
  stream.on('error', () => {});
  stream.end();
  return promise;
}
