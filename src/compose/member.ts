import { once } from 'node:events';
import type { Socket } from 'node:net';
import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/settings.ts';
import type { FromChild, Questions, Start, ToChild } from '../supervisor/child.ts';
import { type App, startApp } from './app.ts';

type Answers = {
  readonly [Q in keyof Questions]?: (
    argument: Parameters<Questions[Q]>[0],
    socket?: Socket,
  ) => ReturnType<Questions[Q]> | Promise<ReturnType<Questions[Q]>>;
};

/** The service as one of several processes. It gets its connections from the supervisor, and ends with it. */
export async function startMember(processes: number): Promise<App> {
  const [{ id, argument: start }] = (await once(process, 'message')) as [ToChild & { argument: Start }];
  try {
    const config = shareOf(await loadConfig(start.environment), processes);
    let answers: Answers = {};
    process.on('message', async ({ id, ask, argument }: ToChild, socket?: Socket) => {
      const answerTo = answers[ask] as ((...given: unknown[]) => FromChild['answer']) | undefined;
      send({ id, answer: await Promise.try(() => answerTo?.(argument, socket) ?? null).catch(() => null) });
    });
    const onReadable = (ready: App['ready']) => {
      answers = { ready };
    };
    const app = await startApp(config, { member: { process: start.process, onReadable } });
    answers = {
      // Without a socket the client has hung up during the hand-over.
      take: (_, socket) => socket === undefined || app.take(socket),
      live: () => true,
      ready: app.ready,
      families: app.families,
      state: app.forConsole.state,
      consumer: async (pseudonym) => ({ held: await app.forConsole.consumer(pseudonym) }),
    };
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

function send(message: FromChild): void {
  // Without a listener, the loss of the supervisor would be an uncaught error.
  process.send?.(message, undefined, {}, () => {});
}
