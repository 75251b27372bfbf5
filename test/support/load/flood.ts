import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { head } from '../http/raw-http.ts';
import type { TokenPost } from '../tokens/oauth-form.ts';

/** Starts a task at a fixed rate, without waiting for earlier ones (open loop). */
export async function paced<T>(perSecond: number, count: number, task: (index: number) => Promise<T>) {
  const startedAt = performance.now();
  const results: Promise<T>[] = [];
  for (let index = 0; index < count; index += 1) {
    const early = startedAt + (index * 1_000) / perSecond - performance.now();
    if (early > 1) await pause(early);
    results.push(task(index));
  }
  return Promise.all(results);
}

/** Runs a task this many times, at most `concurrency` at once. */
export async function concurrently<T>(count: number, concurrency: number, task: () => Promise<T>) {
  const results: T[] = [];
  let begun = 0;
  const worker = async () => {
    while (begun < count) {
      begun += 1;
      results.push(await task());
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return results;
}

export function allAtOnce(url: string, { headers, body }: TokenPost, count: number): Promise<string[]> {
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)) });
  const bytes = `${head('POST', '/token', ...lines.map((line) => line.join(': ')))}${body}`;
  return sendAtOnce(url, Array(count).fill(bytes));
}

/** Requests, each over a connection of its own, and all of them open before the first byte is sent; every answer. */
export async function sendAtOnce(url: string, requests: readonly string[]): Promise<string[]> {
  const { hostname, port } = new URL(url);
  // No more at a time than a queue of the system holds: it would have the rest come again after a second.
  const sockets = await concurrently(requests.length, 100, async () => {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return socket;
  });
  const answers = sockets.map(async (socket) => {
    let received = '';
    for await (const chunk of socket) received += chunk.toString('latin1');
    return received;
  });
  sockets.forEach((socket, index) => {
    socket.write(String(requests[index]));
  });
  return Promise.all(answers);
}

export function tally<T>(values: readonly T[]): Map<T, number> {
  return new Map([...Map.groupBy(values, (value) => value)].map(([value, all]) => [value, all.length]));
}
