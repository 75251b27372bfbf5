import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { impatientSocket } from './pool.ts';

export const channel = 'vestibule_standing';

const reconnectMs = 500;
/** A connection that broke without a word is noticed by asking it something. */
const askEveryMs = 5_000;

/** Listens on a connection of its own, again and again; calls back after each time without one, too. */
export async function watchNotifications(url: string, onChange: () => void): Promise<() => Promise<void>> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const first = await listen(url, onChange, signal);
  const running = keepListening(first.ended);

  async function keepListening(ended: Promise<void>): Promise<void> {
    await ended;
    while (!signal.aborted) {
      await delay(reconnectMs, undefined, { signal, ref: false }).catch(() => {});
      const again = signal.aborted ? null : await listen(url, onChange, signal).catch(() => null);
      if (again === null) continue;
      onChange();
      await again.ended;
    }
  }

  return async () => {
    stopping.abort();
    await running;
  };
}

/** One connection; `ended` settles when it has ended, however that came. */
async function listen(
  url: string,
  onChange: () => void,
  signal: AbortSignal,
): Promise<{ ended: Promise<void> }> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: 3_000,
    query_timeout: 3_000,
    // Or it would wait for ever for the farewell of a server that has fallen silent.
    stream: impatientSocket,
  });
  const ended = Promise.withResolvers<void>();
  client.on('error', () => ended.resolve());
  client.on('end', () => ended.resolve());
  client.on('notification', onChange);
  signal.addEventListener('abort', () => ended.resolve(), { once: true });
  await client.connect();
  await client.query(`listen ${channel}`);
  const asking = setInterval(() => client.query('select 1').catch(() => ended.resolve()), askEveryMs).unref();
  const cleanUp = async () => {
    clearInterval(asking);
    await client.end().catch(() => {});
  };
  return { ended: ended.promise.then(cleanUp) };
}
