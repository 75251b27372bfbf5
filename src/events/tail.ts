import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { logFailure } from '../base/plain-log.ts';
import { RepeatedLook } from '../base/repeated-look.ts';
import type { EventStore, StoredEvent } from '../storage/port.ts';

interface TailOptions {
  readonly store: EventStore;
  /** Whether a collection is shared: then events are read with their topics. */
  readonly hasTopics: boolean;
  /** Positions are reused, after a restore or failover. */
  readonly onRewound: () => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** Gets every new event once, in the order of positions. */
type Subscriber = (events: readonly StoredEvent[]) => void;

const atOnce = 200;
const lookEveryMs = 1_000;

/** Follows the end of the log, once for all readers of this process. */
export class EventTail {
  readonly hasTopics: boolean;
  readonly #options: TailOptions;
  readonly #subscribers = new Set<Subscriber>();
  readonly #reading: RepeatedLook;
  #last = 0;
  #unwatch: () => Promise<void> = async () => {};

  constructor(options: TailOptions) {
    const { clock, log } = options;
    this.hasTopics = options.hasTopics;
    this.#options = options;
    this.#reading = new RepeatedLook({
      look: () => this.#readOn(),
      everyMs: lookEveryMs,
      onFailure: (error) => logFailure(log, error, 'the event log cannot be read'),
      clock,
    });
  }

  /** Subscribers have got everything up to this position. */
  get last(): number {
    return this.#last;
  }

  /** Watches before it reads, so that nothing is missed. */
  async start(): Promise<void> {
    const { store } = this.#options;
    this.#unwatch = await store.watch(() => this.notice());
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

  /** There may be new events. This process has written some, or the poll of the database says so. */
  notice(): void {
    if (this.#subscribers.size > 0) this.look();
  }

  look(): void {
    void this.#reading.look();
  }

  async #checkRewound(): Promise<void> {
    const { last } = await this.#options.store.extent();
    if (last >= this.#last) return;
    this.#last = last;
    this.#options.onRewound();
  }

  async #readOn(): Promise<void> {
    const { store } = this.#options;
    if (this.#subscribers.size === 0) {
      const { last } = await store.extent();
      // A subscriber that came meanwhile has to get these events.
      if (this.#subscribers.size === 0) this.#last = last;
      return;
    }
    const query = { after: this.#last, until: Number.MAX_SAFE_INTEGER, owner: null, limit: atOnce };
    const events = await store.list(this.hasTopics ? { ...query, topics: 'all' } : query);
    const newest = events.at(-1);
    if (newest === undefined) return this.#checkRewound();
    this.#last = newest.position;
    if (events.length === atOnce) this.look();
    for (const subscriber of [...this.#subscribers]) subscriber(events);
  }
}
