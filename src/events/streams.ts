import { type Caller, hasExpired, isCurrent } from '../base/caller.ts';
import type { Clock } from '../base/clock.ts';
import { ConcurrencyLimit } from '../base/concurrency-limit.ts';
import { type ErrorCode, Refusal } from '../base/errors.ts';
import type { Outlet } from '../base/handler.ts';
import type { EventStore, StoredEvent } from '../storage/port.ts';
import { erasedType, presentEvent } from './catalogue.ts';
import { type EventReader, placeIn, readVisible } from './reader.ts';
import type { EventTail } from './tail.ts';

interface StreamsOptions {
  readonly tail: EventTail;
  readonly store: Pick<EventStore, 'list' | 'extent' | 'hasGivenUpTo'>;
  /** Throws, or rejects, when the operator has shut the caller out. */
  readonly checkStanding: (caller: Caller) => void | Promise<void>;
  readonly clock: Clock;
}

/** One live stream: a caller who reads, and where it goes. */
interface Stream {
  readonly caller: Caller;
  readonly reader: EventReader;
  readonly outlet: Outlet;
  /** Has all up to the end of the log, and gets what comes at once. */
  isLive: boolean;
  /** Up to this position it has everything; `notBegun` before it is known where it begins. */
  has: number;
  /** It could not be asked whether the caller is shut out. */
  isUnsure: boolean;
  isOver: boolean;
  /** By the monotonic clock. */
  heartbeatAt: number;
}

/** Where a stream is to begin: after this position; null: now. */
type StartPosition = number | null;

const notBegun = -1;
const tickMs = 1_000;
const heartbeatEveryMs = 15_000;
/** How long a caller is to wait before it comes again, and how much longer at most: not all come back at once. */
const retryMs = 2_000;
const retrySpreadMs = 2_000;
/** Whoever has so much waiting gets the rest as it takes it. (Whoever takes nothing is hung up on: http/connections.) */
const mostUnsent = 32_768;
/** How many streams read the log at once: after a restart all of them come, and requests need the database, too. All others wait. */
const readers = { running: 4, waiting: Number.POSITIVE_INFINITY, refusal: 'overloaded' } as const;

/** The live streams of this process. What a new event means for each is looked up by its owner, not by asking all of them. */
export class Streams {
  readonly #options: StreamsOptions;
  readonly #all = new Set<Stream>();
  readonly #byOwner = new Map<string, Set<Stream>>();
  /** Those that may see others' events. */
  readonly #wide = new Set<Stream>();
  /** Null while there are no streams: then nobody has to read the log. */
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
    this.#tickLater();
  }

  stop(): void {
    this.#cancelTick();
    for (const stream of [...this.#all]) this.#end(stream, 'shutting_down');
  }

  /** Ends all of them spread over this time, so that not all come to the next process at once. No more are opened. */
  drain(overMs: number): void {
    this.#isClosing = true;
    const streams = [...this.#all];
    for (const [index, stream] of streams.entries())
      this.#options.clock.after((overMs * index) / streams.length, () => this.#end(stream, 'shutting_down'));
  }

  /** Throws while the process stops. The returned function starts the stream once the response head is sent. */
  open(caller: Caller, reader: EventReader, start: StartPosition): (outlet: Outlet) => void {
    if (this.#isClosing) throw new Refusal('shutting_down');
    return (outlet) => {
      const stream: Stream = {
        caller,
        reader,
        outlet,
        has: notBegun,
        isLive: false,
        isUnsure: false,
        isOver: false,
        // Streams that open together do not get their heartbeats together.
        heartbeatAt: this.#options.clock.monotonic() + Math.random() * heartbeatEveryMs,
      };
      this.#add(stream);
      outlet.onClose(() => this.#remove(stream));
      // Only from now on is it looked at when somebody is shut out, and that may have happened since the caller was let in.
      this.#check(stream);
      if (!stream.isOver) void this.#begin(stream, start);
    };
  }

  /** Positions are given anew: nobody knows what it has. All come again, and are told. */
  cutAll(): void {
    for (const { outlet } of [...this.#all]) outlet.cut();
  }

  /** Something about who may come in has changed. */
  recheck(): void {
    for (const stream of [...this.#all]) this.#check(stream);
  }

  async #begin(stream: Stream, start: StartPosition): Promise<void> {
    const { store } = this.#options;
    try {
      const extent = await store.extent();
      const after =
        (start === null ? extent.last : await placeIn(store, extent, start)) ??
        this.#reset(stream, extent.last);
      const retry = retryMs + Math.floor(Math.random() * retrySpreadMs);
      stream.outlet.write(`retry: ${retry}\nid: ${after}\nevent: start\ndata: {"position":${after}}\n\n`);
      stream.has = after;
      await this.#catchUp(stream);
    } catch {
      // The log cannot be read. It comes again, to where it was.
      stream.outlet.cut();
    }
  }

  /** What was asked for is not kept any more: whoever counts on it has to read everything anew. */
  #reset({ outlet }: Stream, last: number): number {
    outlet.write(`id: ${last}\nevent: reset\ndata: {"position":${last}}\n\n`);
    return last;
  }

  /** As fast as the caller takes it, and as it is this stream's turn. */
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
        // Reading SQLite takes no turn of the event loop by itself, and requests need theirs.
        await new Promise((resolve) => setImmediate(resolve));
        return readVisible(store, stream.reader, range);
      });
      const { first, last } = await store.extent();
      if (stream.isOver) return;
      // Pruned meanwhile: what comes next is not kept any more.
      if (stream.has < first - 1) stream.has = this.#reset(stream, last);
      else {
        const text = events.map((event) => block(event, stream.reader)).join('');
        // Where it is now, also if nothing was for it: should it be cut off, it need not look through that again.
        await stream.outlet.send(events.length > 0 ? text : `id: ${reached}\n\n`);
        stream.has = reached;
      }
    }
  }

  #tell(events: readonly StoredEvent[]): void {
    for (const event of events) {
      for (const stream of this.#byOwner.get(event.owner) ?? []) this.#write(stream, event);
      for (const stream of this.#wide) this.#write(stream, event);
      if (event.type === erasedType) this.#endOf(event);
    }
  }

  #write(stream: Stream, event: StoredEvent): void {
    const { outlet, reader, isLive, isOver, has } = stream;
    if (!isLive || isOver || event.position <= has || !reader.sees(event)) return;
    if (outlet.unsent > mostUnsent) {
      stream.isLive = false;
      this.#catchUp(stream).catch(() => outlet.cut());
      return;
    }
    outlet.write(block(event, reader));
    stream.has = event.position;
  }

  /** Whoever was erased has no stream any more, on no process; unless it has come back since. */
  #endOf({ owner, position }: StoredEvent): void {
    for (const stream of [...this.#all])
      if (stream.caller.id === owner && stream.has !== notBegun && stream.has < position)
        this.#end(stream, 'erased');
  }

  #tickLater(): void {
    this.#cancelTick = this.#options.clock.after(tickMs, () => {
      this.#tick();
      this.#tickLater();
    });
  }

  #tick(): void {
    const { clock } = this.#options;
    const nowSeconds = clock.now() / 1000;
    const now = clock.monotonic();
    for (const stream of [...this.#all]) {
      if (hasExpired(stream.caller.times, nowSeconds)) this.#end(stream, 'token_expired');
      else if (!isCurrent(stream.caller.verification)) this.#letGo(stream);
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
      // Asked again in a second.
      else stream.isUnsure = true;
    };
    try {
      this.#options.checkStanding(stream.caller)?.catch(shutOut);
    } catch (error) {
      shutOut(error);
    }
  }

  #end(stream: Stream, reason: string): void {
    if (stream.isOver) return;
    stream.outlet.write(`event: end\ndata: {"reason":${JSON.stringify(reason)}}\n\n`);
    this.#letGo(stream);
  }

  /** Without a reason, because it may come back at once, and does: its token is then verified with the keys of that day. */
  #letGo(stream: Stream): void {
    stream.outlet.end();
    this.#remove(stream);
  }

  #add(stream: Stream): void {
    const { reader } = stream;
    this.#all.add(stream);
    this.#unsubscribe ??= this.#options.tail.subscribe((events) => this.#tell(events));
    if (reader.owner === null) this.#wide.add(stream);
    else {
      const own = this.#byOwner.get(reader.owner) ?? new Set();
      this.#byOwner.set(reader.owner, own.add(stream));
    }
  }

  #remove(stream: Stream): void {
    stream.isOver = true;
    this.#all.delete(stream);
    this.#wide.delete(stream);
    const { owner } = stream.reader;
    const own = owner === null ? undefined : this.#byOwner.get(owner);
    own?.delete(stream);
    if (owner !== null && own?.size === 0) this.#byOwner.delete(owner);
    if (this.#all.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = null;
  }
}

/** An event as a stream has it: https://html.spec.whatwg.org/multipage/server-sent-events.html */
function block(event: StoredEvent, reader: EventReader): string {
  return `id: ${event.position}\nevent: ${event.type}\ndata: ${presentEvent(event, reader)}\n\n`;
}

/** A database that cannot be asked shuts nobody out. */
function isShutOut(code: ErrorCode): boolean {
  return code === 'consumer_suspended' || code === 'client_disabled' || code === 'token_revoked';
}
