import type { Clock } from '../../base/clock.ts';
import { errorFields, type Log } from '../../base/log.ts';
import type { RecordStore } from '../../storage/port.ts';
import type { Collection } from '../collections/collection.ts';

const everyMs = 60_000;
/** Small enough that writers wait for a moment only. */
const atOnce = 200;
/** Writing a small database anew takes less than a tenth of a second, and writers wait for it. */
const scrubEveryMs = 3_600_000;

/** Deletes what has expired, a little at a time. Until it comes round nobody is shown such a record any more. */
export class Sweeper {
  readonly #store: RecordStore;
  readonly #collections: readonly Collection[];
  readonly #clock: Clock;
  readonly #log: Log;
  #cancel: () => void = () => {};
  #isStopped = false;
  readonly #onScrubDue: (isDue: boolean) => void;
  #scrubbedAt = Number.NEGATIVE_INFINITY;
  #isScrubDue = false;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(
    store: RecordStore,
    collections: readonly Collection[],
    clock: Clock,
    log: Log,
    onScrubDue: (isDue: boolean) => void,
  ) {
    this.#onScrubDue = onScrubDue;
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
      await this.#scrub();
    } catch (error) {
      this.#log.error(errorFields(error), 'expired records cannot be deleted');
    }
  }

  /** What erased callers have left in the files of the database, if any has. A large one is left to the operator. */
  async #scrub(): Promise<void> {
    const now = this.#clock.monotonic();
    if (now - this.#scrubbedAt < scrubEveryMs) return;
    // Before it is tried: what takes long and fails is not tried again every minute.
    this.#scrubbedAt = now;
    await this.#store.scrub('quickly');
    const isDue = await this.#store.isScrubDue();
    if (isDue && !this.#isScrubDue)
      this.#log.warn('erased callers may have left copies in the database file: run "npx vestibule scrub"');
    this.#isScrubDue = isDue;
    this.#onScrubDue(isDue);
  }
}
