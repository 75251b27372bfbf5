import { setTimeout as delay } from 'node:timers/promises';
import type { HeardBy } from '../port.ts';
import { isHeard, Listener } from './listener.ts';

/** What processes tell each other: that something was changed that they keep in memory, and that events were appended. */
export const channels = { standing: 'vestibule_standing', events: 'vestibule_events' } as const;

const reconnectMs = 500;
/** Behind a pooler nothing is going to change until somebody changes the settings. */
const unheardAgainMs = 60_000;

export const unheard =
  'notifications do not arrive, as behind a pooler that gives each transaction another session';

interface Watcher {
  readonly channel: string;
  /** Whether there was a time without a connection, since when the server may be another one. */
  readonly onChange: (mayHaveMissed: boolean) => void;
}

interface NotificationsOptions {
  readonly url: string;
  /** A name that only this process listens to. */
  readonly echo: string;
  /** Sends a notification on another connection than the one that listens. */
  readonly notify: (channel: string) => Promise<unknown>;
  /** Hears, once, that none of them arrive. */
  readonly onUnheard: (reason: string) => void;
}

/**
 * Listens on one connection of its own, again and again, while anybody watches. Everybody is called once it listens:
 * something may have happened before. Nothing depends on it: what is not heard of here is found by `watchChanges`, and by
 * whoever reads the log of events, within a second.
 */
export class Notifications {
  readonly #options: NotificationsOptions;
  readonly #watchers = new Set<Watcher>();
  #listening: { stop(): Promise<void> } | null = null;
  #heardBy: HeardBy = { way: 'look', because: 'nobody listens yet' };
  #isReported = false;
  #hasListened = false;

  constructor(options: NotificationsOptions) {
    this.#options = options;
  }

  get heardBy(): HeardBy {
    return this.#heardBy;
  }

  /** The returned function ends it. */
  watch(channel: string, onChange: Watcher['onChange']): () => Promise<void> {
    const watcher = { channel, onChange };
    this.#watchers.add(watcher);
    this.#listening ??= this.#listen();
    return async () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) await this.stop();
    };
  }

  /** Also when somebody still watches. */
  async stop(): Promise<void> {
    this.#watchers.clear();
    const listening = this.#listening;
    this.#listening = null;
    await listening?.stop();
  }

  /** Calls those who watch this channel. */
  call(channel: string): void {
    for (const watcher of this.#watchers) if (watcher.channel === channel) watcher.onChange(false);
  }

  #listen() {
    const stopping = new AbortController();
    const { signal } = stopping;
    this.#hasListened = false;
    const keepListening = async () => {
      while (!signal.aborted) {
        const pauseMs = await this.#listenOnce(signal);
        await delay(pauseMs, undefined, { signal, ref: false }).catch(() => {});
      }
    };
    const running = keepListening();
    return {
      stop() {
        stopping.abort();
        return running;
      },
    };
  }

  /** Until the connection has ended, however that came; how long to wait before the next. */
  async #listenOnce(signal: AbortSignal): Promise<number> {
    const { url, echo, notify, onUnheard } = this.#options;
    const listener = new Listener(url, signal, (channel) => this.call(channel));
    try {
      await listener.listen([...Object.values(channels), echo]);
      if (await isHeard(listener, echo, notify)) {
        this.#heardBy = { way: 'notification' };
        for (const watcher of this.#watchers) watcher.onChange(this.#hasListened);
        this.#hasListened = true;
        await listener.ended;
        this.#heardBy = { way: 'look', because: 'the connection that listens has ended' };
        return reconnectMs;
      }
      if (signal.aborted) return 0;
      this.#heardBy = { way: 'look', because: unheard };
      if (!this.#isReported) onUnheard(unheard);
      this.#isReported = true;
      return unheardAgainMs;
    } catch {
      this.#heardBy = { way: 'look', because: 'there is no connection that listens' };
      return reconnectMs;
    } finally {
      await listener.end();
    }
  }
}
