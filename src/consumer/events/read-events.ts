import { type Caller, hasExpired, isCurrent } from '../../base/caller.ts';
import type { Clock } from '../../base/clock.ts';
import { type Answer, type BearerHandler, type Input, jsonText, live } from '../../base/handler.ts';
import type { Collection } from '../../collections/collection.ts';
import { erasedType, presentEvent } from '../../events/catalogue.ts';
import type { LongPolls } from '../../events/long-polls.ts';
import { type EventReader, placeIn, readVisible } from '../../events/reader.ts';
import type { StreamLimit } from '../../events/stream-limit.ts';
import type { Streams } from '../../events/streams.ts';
import type { EventTail } from '../../events/tail.ts';
import { ownerOf } from '../../records/caller-access.ts';
import type { ReadLimit } from '../../records/requests/read-limit.ts';
import type { EventStore, StoredEvent } from '../../storage/port.ts';
import { largestPage, readEventQuery } from './event-query.ts';
import { visibleTo } from './visible-events.ts';

export interface EventParts {
  readonly store: EventStore;
  readonly tail: EventTail;
  readonly streams: Streams;
  readonly streamLimit: StreamLimit;
  readonly longPolls: LongPolls;
  /** Throws, or rejects, when the caller would not be let in any more. */
  readonly checkStillIn: (caller: Caller) => void | Promise<void>;
  readonly reads: ReadLimit;
  readonly clock: Clock;
}

/** GET /events: a live stream, or a page for whoever keeps its own position. */
export function readEvents(collections: readonly Collection[], parts: EventParts): BearerHandler {
  return async (input, caller) => {
    const owner = ownerOf(caller);
    const asked = readEventQuery(input, collections);
    const reader = visibleTo(caller, collections, asked.collections);
    const headers = parts.reads.take(owner);
    if (!asked.isStream) return readPage(parts, reader, { owner, caller, ...asked }, input, headers);
    const take = parts.streams.open(caller, reader, asked.after);
    // Taken before the answer is sent: many requests of one caller can be authenticated at the same moment.
    input.onClose(parts.streamLimit.take(owner));
    // A proxy that keeps answers until they are whole would keep this one for ever.
    return live('text/event-stream', take, { headers: { ...headers, 'x-accel-buffering': 'no' } });
  };
}

interface Asked {
  readonly owner: string;
  readonly caller: Caller;
  readonly after: number | null;
  readonly waitMs: number;
}

async function readPage(
  parts: EventParts,
  reader: EventReader,
  { owner, caller, after, waitMs }: Asked,
  input: Input,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const { store, streamLimit, longPolls, checkStillIn, clock } = parts;
  const extent = await store.extent();
  const { last } = extent;
  const start = after === null ? last : await placeIn(store, extent, after);
  if (start === null) return page([], last, reader, headers, true);
  const from = (position: number, until: number) =>
    readVisible(store, reader, { after: position, until }, largestPage);
  let found = await from(start, last);
  if (found.events.length === 0 && found.reached >= last && waitMs > 0) {
    const leave = streamLimit.take(owner);
    // Listens first and reads then, so that nothing falls in between.
    const waiting = new NextEvent(parts, reader, found.reached, owner);
    const forget = longPolls.add({ caller, end: () => waiting.stop() });
    try {
      // Only from now on is it woken when somebody is shut out.
      await checkStillIn(caller);
      found = await from(found.reached, (await store.extent()).last);
      const isOver = () => input.hasHungUp() || hasExpired(caller.times, clock.now() / 1000);
      if (found.events.length === 0) await waiting.come(waitMs, isOver);
      // It has waited, and much may have happened to it meanwhile.
      await checkStillIn(caller);
      // It asks again, and its token is then verified with the keys of that day.
      if (!isCurrent(caller.verification)) return page([], start, reader, headers, false);
      if (found.events.length === 0) found = await from(found.reached, (await store.extent()).last);
    } finally {
      waiting.stop();
      forget();
      leave();
    }
  }
  // Pruned meanwhile.
  const kept = await store.extent();
  if (start < kept.first - 1) return page([], kept.last, reader, headers, true);
  return page(found.events, found.reached, reader, headers, false);
}

function page(
  events: Awaited<ReturnType<typeof readVisible>>['events'],
  next: number,
  { showsOwner }: EventReader,
  headers: Readonly<Record<string, string>>,
  isReset: boolean,
): Answer {
  const items = events.map((event) => presentEvent(event, { showsOwner, showsPosition: true })).join();
  return jsonText(`{"items":[${items}],"next":${next},"reset":${isReset}}`, { headers });
}

const lookEveryMs = 1_000;

/** The next event after a position that a reader may see, or that it was erased itself. */
class NextEvent {
  readonly #clock: Clock;
  readonly #came = Promise.withResolvers<void>();
  readonly #unsubscribe: () => void;
  #cancel: () => void = () => {};

  constructor(
    { tail, clock }: Pick<EventParts, 'tail' | 'clock'>,
    reader: EventReader,
    after: number,
    owner: string,
  ) {
    this.#clock = clock;
    this.#unsubscribe = tail.subscribe((events) => {
      const isFor = (event: StoredEvent) =>
        reader.sees(event) || (event.type === erasedType && event.owner === owner);
      if (events.some((event) => event.position > after && isFor(event))) this.#came.resolve();
    });
  }

  /** Until it has come, the time is over, or the request is. */
  come(waitMs: number, isOver: () => boolean): Promise<void> {
    const until = this.#clock.monotonic() + waitMs;
    const waitOn = () => {
      const left = until - this.#clock.monotonic();
      if (left <= 0 || isOver()) this.#came.resolve();
      else this.#cancel = this.#clock.after(Math.min(left, lookEveryMs), waitOn);
    };
    waitOn();
    return this.#came.promise;
  }

  stop(): void {
    this.#came.resolve();
    this.#cancel();
    this.#unsubscribe();
  }
}
