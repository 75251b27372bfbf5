import { hasExpired, isCurrent, type VerifiedToken } from '../base/caller.ts';
import { type Clock, every } from '../base/clock.ts';
import { ConcurrencyLimit } from '../base/concurrency-limit.ts';
import { type ErrorCode, Refusal } from '../base/errors.ts';
import type { Input, Outlet } from '../base/handler.ts';
import type { EventStore, StoredEvent } from '../storage/port.ts';
import { erasedType, presentEvent } from './catalogue.ts';
import { type EventReader, placeIn, readVisible, seenBy } from './reader.ts';
import type { EventTail } from './tail.ts';

interface StreamsOptions {
  readonly tail: EventTail;
  readonly store: Pick<EventStore, 'list' | 'extent' | 'hasGivenUpTo'>;
  /** Throws or rejects if the caller is suspended or its token is revoked. */
  readonly checkStanding: (token: VerifiedToken) => void | Promise<void>;
  readonly clock: Clock;
}

interface Stream {
  readonly token: VerifiedToken;
  readonly reader: EventReader;
  readonly giveWay: Input['giveWay'];
  readonly outlet: Outlet;
  /** It has caught up with the log, and gets new events at once. */
  isLive: boolean;
  /** The position up to which it was sent everything. */
  has: number;
  /** The last check of the caller failed, for example because the database did not answer. */
  isUnsure: boolean;
  isOver: boolean;
  heartbeatAt: number;
  /** The keys of `#followers` by which it is found. */
  readonly followed: Set<string>;
}

const anyOwner = '*';
const notBegun = -1;
const tickMs = 1_000;
const heartbeatEveryMs = 15_000;
/** Reconnection time of clients, spread at random. */
const retryMs = 2_000;
const retrySpreadMs = 2_000;
/** Backpressure: past this a stream catches up from the log, as fast as the client reads. */
const maxUnsent = 32_768;
/** Streams that read the log at once: after a restart all clients reconnect, and requests need the database, too. */
const readers = { running: 4, waiting: Number.POSITIVE_INFINITY, refusal: 'overloaded' } as const;

/** The live streams of this process, found by what they follow: an event does not visit all of them. */
export class Streams {
  readonly #options: StreamsOptions;
  readonly #all = new Set<Stream>();
  /** Streams by the owner or the topics of shared collections that they follow; `anyOwner`: events of others, too. */
  readonly #followers = new Map<string, Set<Stream>>();
  #unsubscribe: (() => void) | null = null;
  #cancelTick: () => void = () => {};
  readonly #readers = new ConcurrencyLimit(readers);
  #isClosing = false;

  constructor(options: StreamsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#all.size;
  }

  start(): void {
    this.#cancelTick = every(this.#options.clock, tickMs, () => this.#tick());
  }

  stop(): void {
    this.#cancelTick();
    for (const stream of [...this.#all]) this.#end(stream, 'shutting_down');
  }

  /** Refuses new streams, and ends the open ones spread over this time: clients do not reconnect all at once. */
  drain(overMs: number): void {
    this.#isClosing = true;
    const streams = [...this.#all];
    for (const [index, stream] of streams.entries())
      this.#options.clock.after((overMs * index) / streams.length, () => this.#end(stream, 'shutting_down'));
  }

  /**
   * Throws while the process stops. The returned function starts the stream once the response head is sent: after the
   * position `start`; null: now.
   */
  open(
    token: VerifiedToken,
    reader: EventReader,
    start: number | null,
    giveWay: Input['giveWay'],
  ): (outlet: Outlet) => void {
    if (this.#isClosing) throw new Refusal('shutting_down');
    return (outlet) => {
      const stream: Stream = {
        token,
        reader,
        giveWay,
        outlet,
        has: notBegun,
        isLive: false,
        isUnsure: false,
        isOver: false,
        // Streams that open together do not get their heartbeats together.
        heartbeatAt: this.#options.clock.monotonic() + Math.random() * heartbeatEveryMs,
        followed: new Set(),
      };
      this.#add(stream);
      outlet.onClose(() => this.#remove(stream));
      // The caller may have been suspended since it was authenticated; `recheck` knows the stream only from now on.
      this.#check(stream);
      if (!stream.isOver) void this.#begin(stream, start);
    };
  }

  /** Positions are reused after a restore: clients reconnect and get a reset. */
  cutAll(): void {
    for (const { outlet } of [...this.#all]) outlet.cut();
  }

  /** A suspension, client or revocation has changed. */
  recheck(): void {
    for (const stream of [...this.#all]) this.#check(stream);
  }

  async #begin(stream: Stream, start: number | null): Promise<void> {
    const { store } = this.#options;
    try {
      const extent = await store.extent();
      const after =
        (start === null ? extent.last : await placeIn(store, extent, start)) ??
        this.#reset(stream, extent.last);
      await stream.reader.audience?.begin(after);
      for (const topic of stream.reader.audience?.topics ?? []) this.#follow(stream, topic);
      const retry = retryMs + Math.floor(Math.random() * retrySpreadMs);
      stream.outlet.write(`retry: ${retry}\nid: ${after}\nevent: start\ndata: {"position":${after}}\n\n`);
      stream.has = after;
      await this.#catchUp(stream);
    } catch {
      // The log cannot be read: the client reconnects and resumes.
      stream.outlet.cut();
    }
  }

  /** Events after the client's position are pruned: it has to read everything again. */
  #reset({ outlet }: Stream, last: number): number {
    outlet.write(`id: ${last}\nevent: reset\ndata: {"position":${last}}\n\n`);
    return last;
  }

  async #catchUp(stream: Stream): Promise<void> {
    const { tail, store } = this.#options;
    while (!stream.isOver) {
      const until = tail.last;
      if (stream.has >= until) {
        stream.isLive = true;
        return;
      }
      const range = { after: stream.has, until };
      const { events, reached } = await this.#readers.run(async () => {
        // Reads of SQLite are synchronous.
        await stream.giveWay();
        return readVisible(store, stream.reader, range);
      });
      const { first, last } = await store.extent();
      if (stream.isOver) return;
      // Pruned meanwhile.
      if (stream.has < first - 1) stream.has = this.#reset(stream, last);
      else {
        const text = events.map((event) => block(event, stream.reader)).join('');
        for (const topic of stream.reader.audience?.topics ?? []) this.#follow(stream, topic);
        // The position also when no event was visible, so that a reconnect resumes here.
        await stream.outlet.send(events.length > 0 ? text : `id: ${reached}\n\n`);
        stream.has = reached;
      }
    }
  }

  #deliver(events: readonly StoredEvent[]): void {
    for (const event of events) {
      const keys = event.topics?.map(({ topic }) => topic) ?? [event.owner];
      // A copy: a stream that has joined or left by this event follows other topics from now on.
      for (const key of [...keys, anyOwner])
        for (const stream of [...(this.#followers.get(key) ?? [])]) this.#write(stream, event);
      if (event.type === erasedType) this.#endOf(event);
    }
  }

  #write(stream: Stream, event: StoredEvent): void {
    const { outlet, reader, isLive, isOver, has } = stream;
    if (!isLive || isOver || event.position <= has || !reader.sees(event)) return;
    if (outlet.unsent > maxUnsent) {
      stream.isLive = false;
      this.#catchUp(stream).catch(() => outlet.cut());
      return;
    }
    outlet.write(block(seenBy(reader, event), reader));
    stream.has = event.position;
    const change = reader.audience?.note(event);
    if (change?.isAdded === true) this.#follow(stream, change.topic);
    if (change?.isAdded === false) this.#unfollow(stream, change.topic);
  }

  #follow(stream: Stream, key: string): void {
    if (stream.isOver) return;
    stream.followed.add(key);
    const followers = this.#followers.get(key) ?? new Set();
    this.#followers.set(key, followers.add(stream));
  }

  #unfollow(stream: Stream, key: string): void {
    stream.followed.delete(key);
    const followers = this.#followers.get(key);
    followers?.delete(stream);
    if (followers?.size === 0) this.#followers.delete(key);
  }

  /** Ends the streams of an erased caller, unless they began after the erasure. */
  #endOf({ owner, position }: StoredEvent): void {
    for (const stream of [...this.#all])
      if (stream.token.caller.id === owner && stream.has !== notBegun && stream.has < position)
        this.#end(stream, 'erased');
  }

  #tick(): void {
    const { clock } = this.#options;
    const nowSeconds = clock.now() / 1000;
    const now = clock.monotonic();
    for (const stream of [...this.#all]) {
      if (hasExpired(stream.token, nowSeconds)) this.#end(stream, 'token_expired');
      else if (!isCurrent(stream.token)) this.#release(stream);
      else {
        if (stream.isUnsure) this.#check(stream);
        if (stream.heartbeatAt <= now) this.#heartbeat(stream, now);
      }
    }
  }

  /** With the position: a caller that got no event for weeks must not resume where events are pruned. */
  #heartbeat(stream: Stream, now: number): void {
    stream.heartbeatAt = now + heartbeatEveryMs;
    const { outlet, has, isLive, isOver } = stream;
    if (isLive && !isOver && outlet.unsent === 0)
      outlet.write(`id: ${Math.max(this.#options.tail.last, has)}\n\n`);
  }

  #check(stream: Stream): void {
    stream.isUnsure = false;
    const shutOut = (error: unknown) => {
      if (error instanceof Refusal && isShutOut(error.code)) this.#end(stream, error.code);
      // The next tick checks again.
      else stream.isUnsure = true;
    };
    try {
      this.#options.checkStanding(stream.token)?.catch(shutOut);
    } catch (error) {
      shutOut(error);
    }
  }

  #end(stream: Stream, reason: string): void {
    if (stream.isOver) return;
    stream.outlet.write(`event: end\ndata: {"reason":${JSON.stringify(reason)}}\n\n`);
    this.#release(stream);
  }

  /** Without a reason: the client reconnects at once, and its token is verified again. */
  #release(stream: Stream): void {
    stream.outlet.end();
    this.#remove(stream);
  }

  #add(stream: Stream): void {
    this.#all.add(stream);
    this.#unsubscribe ??= this.#options.tail.subscribe((events) => this.#deliver(events));
    this.#follow(stream, stream.reader.owner ?? anyOwner);
  }

  #remove(stream: Stream): void {
    stream.isOver = true;
    this.#all.delete(stream);
    for (const key of [...stream.followed]) this.#unfollow(stream, key);
    if (this.#all.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = null;
  }
}

/** https://html.spec.whatwg.org/multipage/server-sent-events.html */
function block(event: StoredEvent, reader: EventReader): string {
  return `id: ${event.position}\nevent: ${event.type}\ndata: ${presentEvent(event, reader)}\n\n`;
}

/** False if the database did not answer: that ends no stream. */
function isShutOut(code: ErrorCode): boolean {
  return code === 'consumer_suspended' || code === 'client_disabled' || code === 'token_revoked';
}
