import type { AppendSignal } from '../engine.ts';
import { channels, type Notifications } from './notifications.ts';

/** Notifications of all sessions of a database server are queued one after the other: so many a second, and no more. */
const leastMsBetween = 20;

/**
 * Tells of appended events by a notification of its own: one within the transaction of a write would make the commits of all
 * of them wait for each other. What gets lost is found by whoever asks the log from time to time.
 */
export class PostgresAppendSignal implements AppendSignal {
  readonly #notifications: Notifications;
  readonly #notify: (channel: string) => Promise<unknown>;
  #sentAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;

  constructor(notifications: Notifications, notify: (channel: string) => Promise<unknown>) {
    this.#notifications = notifications;
    this.#notify = notify;
  }

  note(): void {
    if (this.#timer !== null) return;
    const waitMs = this.#sentAt + leastMsBetween - performance.now();
    if (waitMs <= 0) this.#send();
    else this.#timer = setTimeout(() => this.#send(), waitMs).unref();
  }

  async watch(onAppended: () => void): Promise<() => Promise<void>> {
    return this.#notifications.watch(channels.events, onAppended);
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #send(): void {
    this.#timer = null;
    this.#sentAt = performance.now();
    // Where no notification arrives, not even our own does.
    if (this.#notifications.heardBy.way === 'look') this.#notifications.call(channels.events);
    this.#notify(channels.events).catch(() => {});
  }
}
