import type { Clock } from '../../base/clock.ts';
import type { ConfirmedTime } from '../../base/confirmed-time.ts';
import { errorFields, type Log } from '../../base/log.ts';
import type { ConsumerStore, RecordStore } from '../../storage/port.ts';
import type { Collection } from '../collections/collection.ts';

const everyMs = 60_000;
/** Small enough that writers wait for a moment only. */
const atOnce = 200;
/** Writing a small database anew takes less than a tenth of a second, and writers wait for it. */
const scrubEveryMs = 3_600_000;

interface SweeperOptions {
  readonly store: RecordStore;
  readonly consumers: Pick<ConsumerStore, 'bringBack'>;
  readonly collections: readonly Collection[];
  /** Callers who were registered in a time to come are registered now instead. */
  readonly onBroughtBack: () => void;
  readonly onScrubDue: (isDue: boolean) => void;
  readonly clock: Clock;
  readonly time: ConfirmedTime;
  readonly log: Log;
}

/** Deletes what has expired, a little at a time. Until it comes round nobody is shown such a record any more. */
export class Sweeper {
  readonly #options: SweeperOptions;
  #cancel: () => void = () => {};
  #isStopped = false;
  #scrubbedAt = Number.NEGATIVE_INFINITY;
  #isScrubDue = false;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  start(): void {
    this.#cancel = this.#options.clock.after(everyMs, () => {
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
    const { time, log } = this.#options;
    try {
      const now = time.now();
      if (now !== null) await this.#sweepUntil(now);
      await this.#scrub();
    } catch (error) {
      log.error(errorFields(error), 'expired records cannot be deleted');
    }
  }

  async #sweepUntil(now: number): Promise<void> {
    const { store, consumers, collections, onBroughtBack } = this.#options;
    for (const { name, limits } of collections) {
      if (limits.expireMs === null) continue;
      const changedBefore = now - limits.expireMs;
      while (!this.#isStopped && (await store.expire(name, changedBefore, atOnce)) === atOnce);
    }
    await store.expireIdempotencyKeys(now);
    await store.expireSpentBudgets(now);
    if ((await consumers.bringBack(now)) > 0) onBroughtBack();
  }

  /** What erased callers have left in the files of the database, if any has. A large one is left to the operator. */
  async #scrub(): Promise<void> {
    const { clock, store, log, onScrubDue } = this.#options;
    const now = clock.monotonic();
    if (now - this.#scrubbedAt < scrubEveryMs) return;
    // Before it is tried: what takes long and fails is not tried again every minute.
    this.#scrubbedAt = now;
    await store.scrub('quickly');
    const isDue = await store.isScrubDue();
    if (isDue && !this.#isScrubDue)
      log.warn('erased callers may have left copies in the database file: run "npx vestibule scrub"');
    this.#isScrubDue = isDue;
    onScrubDue(isDue);
  }
}
