import { Client } from 'pg';
import { createProcessName } from '../../base/random.ts';
import type { HeardBy } from '../port.ts';
import { isHeard, Listener } from './listener.ts';
import { unheard } from './notifications.ts';
import { impatientSocket } from './pool.ts';
import { unavailable } from './unavailable.ts';

/** For a command that only looks: how a process would hear of changes, tried by one notification. */
export async function tryNotifications(url: string, listenUrl: string | null): Promise<HeardBy> {
  const listener = new Listener(listenUrl ?? url, null);
  const sender = new Client({
    connectionString: url,
    connectionTimeoutMillis: 3_000,
    query_timeout: 3_000,
    stream: impatientSocket,
  });
  sender.on('error', () => {});
  const channel = `vestibule_echo_${createProcessName()}`;
  try {
    await listener.listen([channel]);
    await sender.connect();
    const notify = (name: string) => sender.query("select pg_notify($1, '')", [name]);
    return (await isHeard(listener, channel, notify))
      ? { way: 'notification' }
      : { way: 'look', because: unheard };
  } catch (error) {
    const because = unavailable(error)?.options.detail ?? (error as Error).message;
    return { way: 'look', because };
  } finally {
    await listener.end();
    await sender.end().catch(() => {});
  }
}
