import { type Clock, type ConfirmedTime, clockDifferenceMs } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { logFailure } from '../base/plain-log.ts';
import type { Collection } from '../collections/collection.ts';
import { lineageOf } from '../collections/lineage.ts';
import { eventOfRemoval } from '../events/catalogue.ts';
import type {
  AssertionStore,
  ConsumerStore,
  EventStore,
  NewEvent,
  RecordName,
  RecordStore,
  StandingStore,
  StoredRecord,
} from '../storage/port.ts';
import type { PeopleNames } from './people-names.ts';

const everyMs = 60_000;
/** Used after a sweep that took longer than that. */
const shortestPauseMs = 1_000;
const atOnce = 200;
/** Writers wait for a step: it takes a few milliseconds, and an equally long pause follows. */
const childrenAtOnce = 20;
const eventsAtOnce = 1_000;
const eventsKeptMs = 30 * 24 * 60 * 60 * 1000;
/** Rewriting a database of this size takes less than 0.1 s, for which writers wait. */
const scrubEveryMs = 3_600_000;

export interface SweeperOptions {
  readonly store: RecordStore;
  readonly events: Pick<EventStore, 'prune'>;
  readonly consumers: Pick<ConsumerStore, 'bringBack'>;
  readonly standing: Pick<StandingStore, 'forgetRevocations'>;
  readonly assertions: Pick<AssertionStore, 'forgetUsed'>;
  readonly collections: readonly Collection[];
  readonly names: PeopleNames;
  /** Gives free places under a record to waiting records. */
  readonly fill: (given: {
    readonly child: string;
    readonly parent: RecordName;
    readonly now: number;
  }) => Promise<void>;
  /** Called if registrations in the future (a wrong clock) were set to now. */
  readonly onBroughtBack: () => void;
  /** True if this process has the background lease. */
  readonly hold: () => Promise<boolean>;
  readonly clock: Clock;
  readonly time: ConfirmedTime;
  readonly log: Log;
}

/** Deletes expired rows, a few at a time, in one process. Expired records are hidden before that. */
export class Sweeper {
  readonly #options: SweeperOptions;
  #cancel: () => void = () => {};
  #isStopped = false;
  #scrubbedAt = Number.NEGATIVE_INFINITY;
  #isScrubDue = false;
  #childWork = 0;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  /** True if erased callers may have left copies in the database file. */
  get isScrubDue(): boolean {
    return this.#isScrubDue;
  }

  /** The amount of work that is left on records of removed parents, as this process counted it; another one may do it. */
  get childWork(): number {
    return this.#childWork;
  }

  start(delayMs = everyMs): void {
    const { clock } = this.#options;
    this.#cancel = clock.after(delayMs, () => {
      const beganAt = clock.monotonic();
      this.#sweeping = this.#sweep().finally(() => {
        if (!this.#isStopped) this.start(Math.max(beganAt + everyMs - clock.monotonic(), shortestPauseMs));
      });
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#sweeping;
  }

  async #sweep(): Promise<void> {
    const { hold, time, log } = this.#options;
    try {
      const now = time.now();
      const isOurs = await hold();
      if (isOurs && now !== null) await this.#sweepUntil(now);
      await this.#scrub(isOurs);
      // Last, because a full write queue refuses it.
      if (isOurs && now !== null) await this.#fillPlaces(now);
    } catch (error) {
      logFailure(log, error, 'expired records cannot be deleted');
    }
  }

  async #sweepUntil(now: number): Promise<void> {
    const { store, events, consumers, standing, assertions, collections, names, onBroughtBack } =
      this.#options;
    // Readers of the parents get no event: their topics would have to be looked up for each record.
    const eventOf = (kind: 'deleted' | 'expired') => (record: StoredRecord) => {
      const collection = collections.find(({ name }) => name === record.collection);
      if (collection === undefined) return null;
      const placed = { record, members: [], ...(collection.parent === null ? {} : { parent: null }) };
      const lineage = lineageOf(collection, (name) => collections.find((one) => one.name === name));
      const topics = names.audience(lineage, placed, { before: record.state });
      return eventOfRemoval(collection, kind, record, now, topics);
    };
    for (const { name, limits } of collections) {
      if (limits.expireMs === null) continue;
      const changedBefore = now - limits.expireMs;
      while (
        !this.#isStopped &&
        (await store.expire(name, changedBefore, atOnce, eventOf('expired'))) === atOnce
      );
    }
    this.#childWork = await store.childWork();
    await this.#workOnChildren(eventOf('deleted'));
    this.#childWork = await store.childWork();
    const old = { before: now - eventsKeptMs, ahead: now + clockDifferenceMs };
    while (!this.#isStopped && (await events.prune(old, eventsAtOnce)) === eventsAtOnce);
    await store.forgetExpired(now);
    // Another machine's clock may be behind.
    const expiredAt = now - clockDifferenceMs;
    while (!this.#isStopped && (await store.expireProofs(expiredAt, atOnce)) === atOnce);
    await assertions.forgetUsed(now);
    await standing.forgetRevocations(now);
    if ((await consumers.bringBack(now)) > 0) onBroughtBack();
  }

  async #workOnChildren(eventOf: (record: StoredRecord) => NewEvent | null): Promise<void> {
    const { store, clock } = this.#options;
    for (;;) {
      const beganAt = clock.monotonic();
      if (this.#isStopped || !(await store.workOnChildren(childrenAtOnce, eventOf))) return;
      const tookMs = clock.monotonic() - beganAt;
      if (tookMs > 0) await new Promise<void>((resolve) => clock.after(tookMs, resolve));
    }
  }

  /** Gives places that an erasure, an expiry or a higher limit has freed to the records that have waited longest. */
  async #fillPlaces(now: number): Promise<void> {
    const { store, collections, fill } = this.#options;
    for (const { name, parent } of collections) {
      const overflow = parent?.capacity?.overflow ?? null;
      if (parent === null || overflow === null) continue;
      let last = '';
      do {
        const ids = await store.waitingParents(name, overflow, last, atOnce);
        for (const id of ids) await fill({ child: name, parent: { collection: parent.collection, id }, now });
        last = ids.length < atOnce ? '' : (ids.at(-1) ?? '');
      } while (!this.#isStopped && last !== '');
    }
  }

  /** Removes the copies of deleted rows from the database file. A large file is left to the operator. */
  async #scrub(isOurs: boolean): Promise<void> {
    const { clock, store, log } = this.#options;
    const now = clock.monotonic();
    if (now - this.#scrubbedAt < scrubEveryMs) return;
    // Set before the attempt, so that a slow failure is not repeated every minute.
    this.#scrubbedAt = now;
    if (isOurs) await store.scrub('quickly');
    // A large file may keep copies of deleted records. Those of erased callers the operator has to remove.
    const isDue = (await store.copiesLeft()) === 'erasures';
    if (isDue && !this.#isScrubDue)
      log.warn('erased callers may have left copies in the database file: run "npx vestibule scrub"');
    this.#isScrubDue = isDue;
  }
}
