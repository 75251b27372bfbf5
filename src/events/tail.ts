import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { errorFields } from '../base/plain-log.ts';
import type { EventStore, StoredEvent } from '../storage/port.ts';
import { RepeatedLook } from './repeated-look.ts';

interface TailOptions {
  readonly store: EventStore;
  /** Positions that were told are given again. */
  readonly onRewound: () => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** Hears of new events, in the order of positions, none left out and none twice. */
type Subscriber = (events: readonly StoredEvent[]) => void;

const atOnce = 200;
const lookEveryMs = 1_000;

/** The end of the log, followed: one reader for all who wait for events in this process. */
export class EventTail {
  readonly #options: TailOptions;
  readonly #subscribers = new Set<Subscriber>();
  readonly #reading: RepeatedLook;
  #last = 0;
  #unwatch: () => Promise<void> = async () => {};

  constructor(options: TailOptions) {
    const { clock, log } = options;
    this.#options = options;
    this.#reading = new RepeatedLook({
      look: () => this.#readOn(),
      everyMs: lookEveryMs,
      onFailure: (error) => log.warn(errorFields(error), 'the log of events cannot be read'),
      clock,
    });
  }

  /** The position up to which subscribers have heard everything. */
  get last(): number {
    return this.#last;
  }

  /** Watches first and reads then, so that nothing falls in between. */
  async start(): Promise<void> {
    const { store } = this.#options;
    this.#unwatch = await store.watch(() => {
      // Without subscribers a look now and then is enough.
      if (this.#subscribers.size > 0) this.look();
    });
    this.#last = (await store.extent()).last;
    this.#reading.start();
  }

  async stop(): Promise<void> {
    // A database that does not answer must not keep the process from ending.
    void this.#reading.stop();
    await this.#unwatch();
  }

  /** From `last` on, which may be behind the end of the log by a second. The returned function ends it. */
  subscribe(subscriber: Subscriber): () => void {
    this.#subscribers.add(subscriber);
    this.look();
    return () => this.#subscribers.delete(subscriber);
  }

  look(): void {
    void this.#reading.look();
  }

  /** A database that was restored, or lost commits in a failover, gives positions again: subscribers begin anew. */
  async #checkRewound(): Promise<void> {
    const { last } = await this.#options.store.extent();
    if (last >= this.#last) return;
    this.#last = last;
    this.#options.onRewound();
  }

  async #readOn(): Promise<void> {
    const { store } = this.#options;
    // Without subscribers only the position is of use.
    if (this.#subscribers.size === 0) {
      const { last } = await store.extent();
      // A subscriber that came meanwhile has to hear of it.
      if (this.#subscribers.size === 0) this.#last = last;
      return;
    }
    const query = { after: this.#last, until: Number.MAX_SAFE_INTEGER, owner: null, limit: atOnce };
    const events = await store.list(query);
    const newest = events.at(-1);
    if (newest === undefined) return this.#checkRewound();
    this.#last = newest.position;
    if (events.length === atOnce) this.look();
    for (const subscriber of [...this.#subscribers]) subscriber(events);
  }
}
