import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { QueueCapacity } from '../base/concurrency-limit.ts';
import { Refusal } from '../base/errors.ts';
import { FairQueue } from '../base/fair-queue.ts';
import type { BatchStore, Outcome } from '../storage/port.ts';
import { type Done, maxInBatch, type Operation, weightOf } from './rules/operation.ts';

export interface WriteQueueOptions {
  readonly store: BatchStore;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly onBatch?: (size: number, seconds: number) => void;
  /** Called after each committed batch, which may have written events. */
  readonly tail?: { notice(): void };
  /** Called when the database has refused a batch. */
  readonly onUnavailable?: () => void;
}

interface QueuedWrite {
  readonly operation: Operation;
  readonly bytes: number;
  readonly since: number;
  readonly isGone: () => boolean;
  readonly resolve: (done: Done) => void;
  readonly reject: (error: unknown) => void;
}

export const maxBatchBytes = 4 * 1024 * 1024;
/** Of one caller in a batch: the writes of others wait for its commit. */
export const maxBatchBytesOfCaller = 1024 * 1024;
/** Limits of the queue. Past them a write is refused (backpressure). A caller's batch counts by its parts. */
export const maxWaiting = 2_000;
export const maxWaitingOfCaller = 200;
export const maxWaitingBytes = 32 * 1024 * 1024;
export const longestWaitMs = 1_500;
const checkEveryMs = 100;
/** Group commit: writes that arrive while a batch is committed form the next batch. Callers take turns. */
export class WriteQueue {
  readonly #options: WriteQueueOptions;
  readonly #waiting = new FairQueue<QueuedWrite>(({ operation }) => weightOf(operation));
  #waitingBytes = 0;
  readonly #capacity: QueueCapacity;
  #running: Promise<void> | null = null;
  #isStopped = false;

  constructor(options: WriteQueueOptions) {
    this.#options = options;
    this.#capacity = new QueueCapacity({ max: maxWaiting, min: maxInBatch, clock: options.clock });
  }

  get length(): number {
    return this.#waiting.size;
  }

  /** The age of the oldest write; 0 if the queue is empty. */
  get oldestSeconds(): number {
    const since = [...this.#waiting].map((waiting) => waiting.since);
    return since.length === 0 ? 0 : (this.#options.clock.monotonic() - Math.min(...since)) / 1000;
  }

  /** `bytes` is about the size of the operation; `isGone` is true once its caller has disconnected. */
  submit(operation: Operation, bytes: number, isGone: () => boolean): Promise<Done> {
    const { id } = operation.caller;
    this.checkRoom(id, bytes, weightOf(operation));
    return new Promise((resolve, reject) => {
      this.#capacity.join(this.#waiting.size);
      this.#waiting.push(id, {
        operation,
        bytes,
        since: this.#options.clock.monotonic(),
        isGone,
        resolve,
        reject,
      });
      this.#waitingBytes += bytes;
      this.#running ??= this.#run();
    });
  }

  /** Throws if the queue is full, in all or for this caller. */
  checkRoom(id: string, bytes: number, weight = 1): void {
    const isFull =
      this.#waiting.size + weight > this.#capacity.count ||
      this.#waitingBytes + bytes > maxWaitingBytes ||
      this.#waiting.lengthOf(id) + weight > maxWaitingOfCaller;
    if (isFull || this.#isStopped) throw tooMany(this.#isStopped ? 'the service stops' : 'writes wait');
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    // Refuses old writes also while the database does not answer.
    // After a blocked event loop, pending events come first: the batch may be done.
    const check = () => setImmediate().then(() => this.#refuseOld());
    const lookout = setInterval(check, checkEveryMs).unref();
    let batch: QueuedWrite[] = [];
    let running: Promise<readonly Outcome[]> = nothingForTwoTurns();
    do {
      const outcomes = await running;
      // Start the next batch before answering this one.
      const done = batch;
      batch = this.#nextBatch();
      running = batch.length > 0 ? this.#outcomesOf(batch) : nothingForTwoTurns();
      settle(done, outcomes);
    } while (batch.length > 0 || this.#waiting.size > 0);
    clearInterval(lookout);
    this.#running = null;
  }

  async #outcomesOf(batch: readonly QueuedWrite[]): Promise<readonly Outcome[]> {
    const { store, clock, onBatch, tail, onUnavailable } = this.#options;
    const begunAt = clock.monotonic();
    try {
      const outcomes = await store.run(batch.map(({ operation }) => operation));
      const size = batch.reduce((sum, { operation }) => sum + weightOf(operation), 0);
      onBatch?.(size, (clock.monotonic() - begunAt) / 1000);
      tail?.notice();
      return outcomes;
    } catch (error) {
      if (error instanceof Refusal && error.code === 'storage_unavailable') onUnavailable?.();
      // A Refusal of the database applies to all. After other errors each is tried alone, so that only the faulty one
      // fails.
      if (error instanceof Refusal || batch.length === 1) return batch.map(() => ({ error }));
      const outcomes: Outcome[] = [];
      for (const one of batch) outcomes.push(...(await this.#outcomesOf([one])));
      return outcomes;
    }
  }

  #nextBatch(): QueuedWrite[] {
    const batch: QueuedWrite[] = [];
    let bytes = 0;
    let weight = 0;
    const bytesOf = new Map<string, number>();
    const fits = (id: string) => (bytesOf.get(id) ?? 0) < maxBatchBytesOfCaller;
    while (weight < maxInBatch && bytes < maxBatchBytes) {
      const next = this.#waiting.take(fits);
      if (next === undefined) break;
      const { id } = next.operation.caller;
      bytesOf.set(id, (bytesOf.get(id) ?? 0) + next.bytes);
      this.#waitingBytes -= next.bytes;
      if (next.isGone()) next.reject(new Refusal('bad_request', { detail: 'the caller has hung up' }));
      else {
        batch.push(next);
        bytes += next.bytes;
        weight += weightOf(next.operation);
      }
    }
    this.#capacity.begin(weight);
    this.#refuseOld();
    return batch;
  }

  #refuseOld(): void {
    const since = this.#options.clock.monotonic() - longestWaitMs;
    for (const old of this.#waiting.removeWhere((one) => one.since < since)) {
      this.#waitingBytes -= old.bytes;
      old.reject(tooMany('writes have waited for too long'));
    }
  }
}

/** Two turns of the event loop: then it is known which callers disconnected right after the request. */
async function nothingForTwoTurns(): Promise<readonly []> {
  await setImmediate();
  await setImmediate();
  return [];
}

function settle(batch: readonly QueuedWrite[], outcomes: readonly Outcome[]): void {
  batch.forEach(({ resolve, reject }, index) => {
    const outcome = outcomes[index] as Outcome;
    if ('done' in outcome) resolve(outcome.done as Done);
    else reject(outcome.error);
  });
}

function tooMany(detail: string): Refusal {
  return new Refusal('overloaded', { detail, retryAfterSeconds: 1 });
}
