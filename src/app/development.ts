import { createServer, type Socket } from 'node:net';
import { type App, startApp } from '../app.ts';
import type { Collection } from '../collections/collection.ts';
import type { Config } from '../config/settings.ts';
import { listenOn } from '../http/listener.ts';
import { acceptBreaking } from './declared-collections.ts';

interface DevServiceOptions {
  readonly config: Config;
  readonly allowBreaking: boolean;
  readonly logText: (line: string) => string;
}

/**
 * The composition root of `dev`: restarts the app in the same process when the collections change. The listening socket
 * stays open, and connections that come in meanwhile wait for the next app.
 */
export class DevService {
  readonly #options: DevServiceOptions;
  // Like the HTTP server of Node that gets its sockets.
  readonly #server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket));
  #collections: readonly Collection[];
  #app: App;
  #isRestarting = false;
  #waiting: Socket[] = [];

  private constructor(options: DevServiceOptions, collections: readonly Collection[], app: App) {
    // The next app keeps the ops port, also when any free one was asked for.
    const opsPort = Number(new URL(app.opsAddress).port);
    this.#options = { ...options, config: { ...options.config, opsPort } };
    this.#collections = collections;
    this.#app = app;
  }

  static async start(options: DevServiceOptions, collections: readonly Collection[]): Promise<DevService> {
    const { host, port } = options.config;
    const app = await startWith(options, collections);
    const service = new DevService(options, collections, app);
    try {
      await listenOn(service.#server, { host, port }, 'PORT');
    } catch (error) {
      await app.stop();
      throw error;
    }
    return service;
  }

  get app(): App {
    return this.#app;
  }

  /** Throws if it cannot serve them, and goes on with the previous ones. */
  async serve(collections: readonly Collection[]): Promise<void> {
    this.#isRestarting = true;
    await this.#app.stop();
    try {
      this.#app = await startWith(this.#options, collections);
      this.#collections = collections;
    } catch (error) {
      this.#app = await startWith(this.#options, this.#collections);
      throw error;
    } finally {
      this.#isRestarting = false;
      for (const socket of this.#waiting.splice(0)) this.#give(socket);
    }
  }

  stop(): Promise<void> {
    this.#server.close();
    return this.#app.stop();
  }

  /** An app that stops refuses further requests, so a connection comes to an app with its first request. */
  #accept(socket: Socket): void {
    const onEnd = () => socket.destroy();
    socket.on('error', () => {});
    socket.once('end', onEnd);
    socket.once('data', (bytes) => {
      socket.off('end', onEnd);
      socket.pause();
      socket.unshift(bytes);
      if (this.#isRestarting) this.#waiting.push(socket);
      else this.#give(socket);
    });
  }

  #give(socket: Socket): void {
    this.#app.take(socket);
    process.nextTick(() => socket.resume());
  }
}

async function startWith(
  { config, allowBreaking, logText }: DevServiceOptions,
  collections: readonly Collection[],
): Promise<App> {
  if (allowBreaking) await acceptBreaking(config, collections);
  return startApp(config, { development: { collections, logText } });
}
