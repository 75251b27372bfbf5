import { setTimeout as pause } from 'node:timers/promises';
import { RawConnection } from '../support/load/raw-connection.ts';
import { Samples } from './load.ts';

/** The latency of a caller with a modest rate on one connection. A missing answer counts as infinite. */
export async function probe(
  url: string,
  headers: readonly string[],
  perSecond: number,
  seconds: number,
): Promise<Samples> {
  const { origin, pathname } = new URL(url);
  const samples = new Samples();
  const connection = await RawConnection.open(origin, '127.0.0.1', ({ status, milliseconds }) => {
    samples.add(status === 200 ? milliseconds : Number.POSITIVE_INFINITY);
  });
  const bytes = `GET ${pathname} HTTP/1.1\r\n${['host: a', ...headers].join('\r\n')}\r\n\r\n`;
  for (let count = 0; count < perSecond * seconds; count += 1) {
    // One at a time: a second one would wait for the first.
    if (connection.waiting === 0) connection.send(bytes);
    await pause(1000 / perSecond);
  }
  await pause(1_000);
  for (let count = 0; count < connection.waiting; count += 1) samples.add(Number.POSITIVE_INFINITY);
  connection.socket.destroy();
  return samples;
}

/** How long it takes until a request is answered quickly again, in milliseconds. */
export async function untilWell(ask: () => Promise<number>, quickMs = 100): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    const askedAt = performance.now();
    const status = await ask().catch(() => 0);
    const now = performance.now();
    if (status === 201 && now - askedAt < quickMs) return Math.round(now - startedAt);
    if (now - startedAt > 60_000) return Number.POSITIVE_INFINITY;
    await pause(20);
  }
}
