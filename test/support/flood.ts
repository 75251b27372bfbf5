import { setTimeout as pause } from 'node:timers/promises';
import type { TokenPost } from './credential-forms.ts';
import { exchange, head } from './raw-http.ts';

/** Begins a task so many times a second, whether or not the earlier ones are done, as a flood does. */
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

/** Does a task so many times, never more than `concurrency` at once. */
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

/** The same POST /token again and again over one connection, without waiting for answers; all that came back. */
export function pipelined(url: string, { headers, body }: TokenPost, count: number): Promise<string> {
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)) });
  const last = `${head('POST', '/token', ...lines.map((line) => line.join(': ')))}${body}`;
  return exchange(url, last.replace('connection: close\r\n', '').repeat(count - 1) + last);
}

/** How often each one occurs. */
export function tally<T>(values: readonly T[]): Map<T, number> {
  return new Map([...Map.groupBy(values, (value) => value)].map(([value, all]) => [value, all.length]));
}
