import type { App } from '../../app.ts';
import type { Config } from '../../config/settings.ts';
import type { Collection } from '../../consumer/collections/collection.ts';

/** The service of `dev`, which can be started anew with other collections, at the same addresses, in the same process. */
export class DevService {
  readonly #config: Config;
  #collections: readonly Collection[];
  #app: App;

  private constructor(config: Config, collections: readonly Collection[], app: App) {
    // A port that was taken because it was free stays the one.
    this.#config = { ...config, opsPort: Number(new URL(app.opsAddress).port) };
    this.#collections = collections;
    this.#app = app;
  }

  static async start(config: Config, collections: readonly Collection[]): Promise<DevService> {
    return new DevService(config, collections, await startWith(config, collections));
  }

  get app(): App {
    return this.#app;
  }

  /** Throws what keeps it from serving them, such as records that would not fit; it goes on with those it had. */
  async serve(collections: readonly Collection[]): Promise<void> {
    await this.#app.stop();
    try {
      this.#app = await startWith(this.#config, collections);
      this.#collections = collections;
    } catch (error) {
      this.#app = await startWith(this.#config, this.#collections);
      throw error;
    }
  }

  stop(): Promise<void> {
    return this.#app.stop();
  }
}

/** Loaded once the settings are right: a mistake in them is said at once. */
async function startWith(config: Config, collections: readonly Collection[]): Promise<App> {
  const { startApp } = await import('../../app.ts');
  return startApp(config, { development: { collections } });
}
