import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createParser } from 'eventsource-parser';
import { until } from '../run/polling.ts';
import { surroundings } from '../run/surroundings.ts';
import type { ApiCaller } from './api-caller.ts';

/** An event of a stream, as EventSource would deliver it. */
export interface StreamedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: WireEvent & Record<string, unknown>;
}

export interface WireEvent {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export class EventStream {
  readonly headers: Headers;
  /** All events in order, including `start` and `end`. */
  readonly all: StreamedEvent[] = [];
  text = '';
  isOver = false;
  #fault: unknown = null;
  readonly #cut: AbortController;

  private constructor(response: Response, cut: AbortController) {
    this.headers = response.headers;
    this.#cut = cut;
    void this.#read(response.body as ReadableStream<Uint8Array>);
  }

  static async open(
    caller: ApiCaller,
    { query = '', lastEventId }: { readonly query?: string; readonly lastEventId?: string } = {},
  ): Promise<EventStream> {
    const cut = new AbortController();
    const response = await fetch(`${caller.url}/api/consumer/v1/events${query}`, {
      headers: {
        authorization: `Bearer ${caller.token}`,
        accept: 'text/event-stream',
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
      signal: cut.signal,
    });
    if (response.status !== 200) assert.fail(`${response.status} ${await response.text()}`);
    assert.equal(response.headers.get('content-type'), 'text/event-stream');
    const stream = new EventStream(response, cut);
    // Later actions happen after the start of the stream.
    await stream.until((events) => events.length > 0, 'the stream does not begin');
    return stream;
  }

  /** The events without `start`, `reset` and `end`. */
  get events(): readonly StreamedEvent[] {
    const own = new Set(['start', 'reset', 'end']);
    return this.all.filter(({ type }) => !own.has(type));
  }

  get types(): readonly string[] {
    return this.events.map(({ type }) => type);
  }

  /** The id from which the stream would resume. */
  get lastId(): string {
    return String(this.all.findLast(({ id }) => id !== '')?.id);
  }

  get reason(): unknown {
    return (this.all.find(({ type }) => type === 'end')?.data as { reason?: unknown } | undefined)?.reason;
  }

  async next(count: number): Promise<readonly StreamedEvent[]> {
    await this.until(() => this.events.length >= count, `there are no ${count} events`);
    return this.events;
  }

  async until(willDo: (all: readonly StreamedEvent[]) => boolean, what: string): Promise<void> {
    const willEnd = (some: readonly StreamedEvent[]) => willDo(some) || this.isOver;
    const all = await until(() => this.all, willEnd, what);
    if (willDo(all)) return;
    const error = `${what}: it is over after ${JSON.stringify(all.slice(-3))}`;
    throw new Error(error, { cause: this.#fault });
  }

  async ended(): Promise<void> {
    await until(() => this.isOver, Boolean, 'the stream does not end');
  }

  close(): void {
    this.#cut.abort();
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const parser = createParser({
      onEvent: ({ id = '', event = 'message', data }) =>
        void this.all.push({ id, type: event, data: JSON.parse(data) }),
    });
    const decoder = new TextDecoder();
    try {
      for await (const chunk of body) {
        const text = decoder.decode(chunk, { stream: true });
        this.text += text;
        parser.feed(text);
      }
    } catch (error) {
      // One side has cut the connection.
      this.#fault = error;
    }
    this.isOver = true;
    // test/after searches it for personal data.
    const folder = `${surroundings().runDirectory}/streams`;
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}/${randomUUID()}`, this.text);
  }
}
