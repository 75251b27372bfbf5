import { performance } from 'node:perf_hooks';
import { Refusal } from '../base/errors.ts';
import { FairQueue } from '../base/fair-queue.ts';
import type { NowOrLater } from '../base/handler.ts';

interface Work<T> {
  /** A caller or an address. */
  readonly key: string;
  /** `leave` frees the place before the answer, for a request that waits for an event or a commit. */
  readonly run: (leave: () => void, hasWaited: boolean) => NowOrLater<T>;
  readonly hasHungUp: () => boolean;
}

interface Waiting {
  readonly start: () => void;
  readonly refuse: (refusal: Refusal) => void;
  readonly needsPlace: boolean;
  readonly since: number;
}

/** Main-thread time for requests at a time. Node reads sockets between two slices. */
export const sliceMs = 5;
/** libuv accepts one connection in each iteration of the event loop. With one between two slices, new connections would wait in line. */
export const iterationsBetweenSlices = 20;
/** Begun and unanswered requests of one key. The others wait and hold neither rows nor a database session. */
export const maxBegunPerKey = 2;
/** Waiting requests, in all and of one key. Past them a request is refused (backpressure). */
const maxWaiting = 10_000;
export const maxWaitingPerKey = 2_000;
/** A place is not free for long when the database does not answer. */
export const longestWaitMs = 3_000;
const checkEveryMs = 100;

/**
 * Requests take turns by key, in slices of main-thread time with a few iterations of the event loop between them. Without a queue,
 * and with time left in the slice, a request begins at once, without a promise. A slice is measured by the clock: it includes what
 * runs between requests.
 */
export class Turns {
  readonly #waiting = new FairQueue<Waiting>();
  #lookout: NodeJS.Timeout | null = null;
  readonly #begun = new Map<string, number>();
  #sliceEndsAt = 0;
  #isSliceDue = false;
  #iterationsLeft = 0;

  /** Throws or rejects with a Refusal if too many requests wait, or if the caller disconnects before its turn. */
  take<T>(work: Work<T>): NowOrLater<T> {
    const { key } = work;
    if (this.#waiting.size === 0 && this.#hasPlace(key) && this.#hasTime()) return this.#begin(work, false);
    if (this.#waiting.size >= maxWaiting || this.#waiting.lengthOf(key) >= maxWaitingPerKey)
      throw tooMany('requests wait for their turn');
    // `then` keeps the trace of this request: the queue starts it from another one.
    return this.#wait(key, true).then(() => {
      if (work.hasHungUp()) throw new Refusal('bad_request', { detail: 'the caller has hung up' });
      return this.#begin(work, true);
    });
  }

  /** For a begun request between two pieces of its work: it continues before new requests of its key. */
  giveWay(key: string): NowOrLater<void> {
    if (!this.#hasTime()) return this.#wait(key, false);
  }

  #wait(key: string, needsPlace: boolean): Promise<void> {
    return new Promise((start, refuse) => {
      this.#waiting.push(key, { start, refuse, needsPlace, since: performance.now() }, !needsPlace);
      this.#lookout ??= setInterval(this.#refuseOld, checkEveryMs).unref();
      this.#callSlice();
    });
  }

  readonly #refuseOld = (): void => {
    const since = performance.now() - longestWaitMs;
    const old = this.#waiting.removeWhere((one) => one.needsPlace && one.since < since);
    for (const { refuse } of old) refuse(tooMany('requests have waited for too long'));
    if (this.#waiting.size > 0) return;
    clearInterval(this.#lookout ?? undefined);
    this.#lookout = null;
  };

  #begin<T>({ key, run }: Work<T>, hasWaited: boolean): NowOrLater<T> {
    this.#begun.set(key, (this.#begun.get(key) ?? 0) + 1);
    let hasLeft = false;
    const leave = () => {
      if (hasLeft) return;
      hasLeft = true;
      const left = (this.#begun.get(key) ?? 0) - 1;
      if (left > 0) this.#begun.set(key, left);
      else this.#begun.delete(key);
      if (this.#waiting.size > 0) this.#callSlice();
    };
    let result: NowOrLater<T> | undefined;
    try {
      result = run(leave, hasWaited);
      return result;
    } finally {
      if (result instanceof Promise) result.then(leave, leave);
      else leave();
    }
  }

  #hasPlace(key: string): boolean {
    return (this.#begun.get(key) ?? 0) < maxBegunPerKey;
  }

  /** The first request in an iteration of the event loop opens its slice. */
  #hasTime(): boolean {
    const now = performance.now();
    if (this.#isSliceDue) return now < this.#sliceEndsAt;
    this.#callSlice();
    this.#sliceEndsAt = now + sliceMs;
    return true;
  }

  #callSlice(): void {
    if (this.#isSliceDue) return;
    this.#isSliceDue = true;
    setImmediate(this.#openSlice);
  }

  readonly #openSlice = (): void => {
    this.#iterationsLeft -= 1;
    if (this.#iterationsLeft > 0) return void setImmediate(this.#openSlice);
    this.#sliceEndsAt = performance.now() + sliceMs;
    this.#next();
  };

  readonly #next = (): void => {
    const next = this.#waiting.take((key, { needsPlace }) => !needsPlace || this.#hasPlace(key));
    // The rest waits for places; a request that leaves its place calls the next slice.
    this.#isSliceDue = next !== undefined;
    if (next === undefined) return;
    next.start();
    // A tick queued by a microtask runs after all microtasks, so after the synchronous work of the request.
    queueMicrotask(() => process.nextTick(this.#goOn));
  };

  readonly #goOn = (): void => {
    if (performance.now() < this.#sliceEndsAt) this.#next();
    else {
      this.#iterationsLeft = iterationsBetweenSlices;
      setImmediate(this.#openSlice);
    }
  };
}

function tooMany(detail: string): Refusal {
  return new Refusal('overloaded', { detail, retryAfterSeconds: 1 });
}
