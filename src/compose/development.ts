import { createServer, type Socket } from 'node:net';
import type { Collection } from '../collections/collection.ts';
import type { SettingInForce } from '../config/load.ts';
import type { Config } from '../config/settings.ts';
import { listenOn } from '../http/listener.ts';
import { type App, startApp } from './app.ts';
import { acceptBreaking } from './declared-collections.ts';

interface DevServiceOptions {
  readonly config: Config;
  readonly settings: readonly SettingInForce[];
  readonly allowBreaking: boolean;
  readonly logText: (line: string) => string;
}

/**
 * The composition root of `dev`: restarts the app in the same process when the collections change. The listening socket
 * stays open, and new connections wait for the next app.
 */
export async function startDevService(options: DevServiceOptions, collections: readonly Collection[]) {
  const { config } = options;
  let served = collections;
  let app = await startWith(options, served);
  // The next app keeps the ops port, even if any free one was requested.
  const again = { ...options, config: { ...config, opsPort: Number(new URL(app.opsAddress).port) } };
  let restarted: Promise<void> = Promise.resolve();
  const hand = async (socket: Socket) => {
    await restarted;
    app.take(socket);
    process.nextTick(() => socket.resume());
  };
  // Half-open, like the HTTP server of Node that gets its sockets.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const onEnd = () => socket.destroy();
    socket.on('error', () => {});
    socket.once('end', onEnd);
    // A stopping app refuses further requests, so a connection is handed to an app with its first request.
    socket.once('data', (bytes) => {
      socket.off('end', onEnd);
      socket.pause();
      socket.unshift(bytes);
      void hand(socket);
    });
  });
  try {
    await listenOn(server, config, 'PORT');
  } catch (error) {
    await app.stop();
    throw error;
  }
  return {
    get app(): App {
      return app;
    },
    /** Throws if it cannot serve them, and keeps serving the previous ones. */
    async serve(changed: readonly Collection[]): Promise<void> {
      const restart = Promise.withResolvers<void>();
      restarted = restart.promise;
      await app.stop();
      try {
        app = await startWith(again, changed);
        served = changed;
      } catch (error) {
        app = await startWith(again, served);
        throw error;
      } finally {
        restart.resolve();
      }
    },
    stop(): Promise<void> {
      server.close();
      return app.stop();
    },
  };
}

async function startWith(
  { config, settings, allowBreaking, logText }: DevServiceOptions,
  collections: readonly Collection[],
): Promise<App> {
  if (allowBreaking) await acceptBreaking(config, collections);
  return startApp(config, { settings, development: { collections, logText } });
}
