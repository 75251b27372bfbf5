import { once } from 'node:events';
import type { Socket } from 'node:net';
import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/settings.ts';
import type { FromChild, Start, ToChild } from '../supervisor/child.ts';
import { type App, startApp } from './app.ts';

/** The service as one of several processes. It gets its connections from the supervisor, and ends with it. */
export async function startMember(processes: number): Promise<App> {
  const [{ id, start }] = (await once(process, 'message')) as [ToChild & { start: Start }];
  try {
    const config = shareOf(await loadConfig(start.environment), processes);
    let app: App | null = null;
    let ready: App['ready'] | null = null;
    process.on('message', async (message: ToChild, socket?: Socket) => {
      const answer = app ? answerTo(message, app) : message.ask === 'ready' ? ready?.() : null;
      send({ id: message.id, answer: await Promise.resolve(answer ?? null).catch(() => null) });
      // Without a socket the client has hung up during the hand-over.
      if (socket) app?.take(socket);
    });
    const onReadable = (early: App['ready']) => {
      ready = early;
    };
    app = await startApp(config, { member: { process: start.process, onReadable } });
    send({ id, answer: true });
    return app;
  } catch (error) {
    // The channel to the supervisor must not keep a failed process alive.
    process.channel?.unref();
    throw error;
  }
}

/** Limits of the machine and of PostgreSQL, which all processes share. */
const shared = ['databasePoolSize', 'maxConnections', 'maxConnectionsPerAddress'] as const;

/** The settings of one of several processes: its part of the shared limits, rounded up. */
export function shareOf(config: Config, processes: number): Config {
  const parts = shared.map((key) => [key, Math.ceil(config[key] / processes)]);
  return { ...config, ...Object.fromEntries(parts) };
}

async function answerTo({ ask, consumer = '' }: ToChild, app: App): Promise<FromChild['answer']> {
  if (ask === 'metrics') return app.families();
  if (ask === 'sample') return app.forConsole.families();
  if (ask === 'state') return app.forConsole.state();
  if (ask === 'consumer') return { held: await app.forConsole.consumer(consumer) };
  return ask === 'ready' ? app.ready() : true;
}

function send(message: FromChild): void {
  // Without a listener, the loss of the supervisor would be an uncaught error.
  process.send?.(message, undefined, {}, () => {});
}
