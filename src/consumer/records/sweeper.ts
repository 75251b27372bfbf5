import type { Clock } from '../../base/clock.ts';
import { errorFields, type Log } from '../../base/log.ts';
import type { RecordStore } from '../../storage/port.ts';
import type { Collection } from '../collections/collection.ts';

const everyMs = 60_000;
/** Small enough that writers wait for a moment only. */
const atOnce = 200;
/** Writing a database anew takes a while, and writers wait for it. */
const tracesEveryMs = 3_600_000;

/** Deletes what has expired, a little at a time. Until it comes round nobody is shown such a record any more. */
export class Sweeper {
  readonly #store: RecordStore;
  readonly #collections: readonly Collection[];
  readonly #clock: Clock;
  readonly #log: Log;
  #cancel: () => void = () => {};
  #isStopped = false;
  #tracesSweptAt = Number.NEGATIVE_INFINITY;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(store: RecordStore, collections: readonly Collection[], clock: Clock, log: Log) {
    this.#store = store;
    this.#collections = collections;
    this.#clock = clock;
    this.#log = log;
  }

  start(): void {
    this.#cancel = this.#clock.after(everyMs, () => {
      this.#sweeping = this.#sweep().finally(() => {
        if (!this.#isStopped) this.start();
      });
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#sweeping;
  }

  async #sweep(): Promise<void> {
    try {
      for (const { name, limits } of this.#collections) {
        if (limits.expireMs === null) continue;
        const changedBefore = this.#clock.now() - limits.expireMs;
        while (!this.#isStopped && (await this.#store.expire(name, changedBefore, atOnce)) === atOnce);
      }
      await this.#store.expireIdempotencyKeys(this.#clock.now());
      await this.#store.expireSpentBudgets(this.#clock.now());
      await this.#sweepTraces();
    } catch (error) {
      this.#log.error(errorFields(error), 'expired records cannot be deleted');
    }
  }

  /** What erased callers have left in the files of the database, if any has. */
  async #sweepTraces(): Promise<void> {
    const now = this.#clock.monotonic();
    if (now - this.#tracesSweptAt < tracesEveryMs) return;
    // Before it is tried: what takes long and fails is not tried again every minute.
    this.#tracesSweptAt = now;
    await this.#store.sweep();
  }
}
