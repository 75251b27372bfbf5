import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { createParser } from 'eventsource-parser';
import type { ApiCaller } from '../support/http/api-caller.ts';
import { EventStream } from '../support/http/event-stream.ts';
import { head } from '../support/http/raw-http.ts';
import { assertRefused } from '../support/http/refusals.ts';
import { concurrently } from '../support/load/flood.ts';
import { until } from '../support/run/polling.ts';
import { PseudoRandom } from '../support/run/pseudo-random.ts';
import { sized } from '../support/run/size.ts';
import { eventDeclarations } from '../support/services/declarations.ts';
import { atOnce, dayMs, deployment } from '../support/services/deployment.ts';
import { type Service, someEngine } from '../support/services/service.ts';
import { metric } from '../support/services/supervised.ts';
import { makeKey, type ProviderKey } from '../support/tokens/provider.ts';

const cuts = sized(200, 1_000);

for (const engine of someEngine) {
  describe(`an event stream that is cut again and again, on ${engine}`, () => {
    const two = deployment({ engine, processes: 2, declarations: eventDeclarations });

    /** Reads so many bytes of a stream from an id on, and hangs up. Returns the complete events in order. */
    async function readSome(caller: ApiCaller, from: string, most: number) {
      const cut = new AbortController();
      const seen: { id: string; type: string }[] = [];
      const parser = createParser({
        onEvent: ({ id = '', event = '' }) => void seen.push({ id, type: event }),
      });
      try {
        const response = await fetch(`${caller.url}/api/consumer/v1/events`, {
          headers: {
            authorization: `Bearer ${caller.token}`,
            accept: 'text/event-stream',
            'last-event-id': from,
          },
          signal: cut.signal,
        });
        assert.equal(response.status, 200);
        let left = most;
        for await (const chunk of response.body as ReadableStream<Uint8Array>) {
          parser.feed(new TextDecoder().decode(chunk.subarray(0, left)));
          left -= chunk.length;
          if (left <= 0) break;
        }
      } catch {
        // The process has just been stopped.
      }
      cut.abort();
      return seen;
    }

    it(`delivers each event once after ${cuts} random cuts, at both processes and over a restart`, async () => {
      const random = new PseudoRandom(7);
      const caller = await two().person();
      const begun = String((await caller.get('/events')).json().next);
      const written: string[] = [];
      let isWriting = true;
      const writing = (async () => {
        while (isWriting) written.push((await caller.make('notes', { text: 'x' })).record.id);
      })();
      const known: { id: string; type: string }[] = [];
      let from = begun;
      for (let cut = 0; cut < cuts; cut += 1) {
        // The writer stays at the first process, so that it goes on.
        if (cut === cuts / 2) await two().restart(1);
        const seen = await readSome(caller.at(two().serviceAt(cut)), from, 1 + random.below(1_500));
        known.push(...seen.filter(({ type }) => type === 'notes.created'));
        from = seen.findLast(({ id }) => id !== '')?.id ?? from;
      }
      isWriting = false;
      await writing;
      // Reads the rest as a page.
      for (let after = from; ; ) {
        const page = (await caller.get(`/events?after=${after}`)).json<{
          items: { position: number; type: string; data: { id: string } }[];
          next: number;
        }>();
        known.push(...page.items.map(({ position, type }) => ({ id: String(position), type })));
        if (page.items.length === 0) break;
        after = String(page.next);
      }
      const positions = known.map(({ id }) => Number(id));
      assert.equal(positions.length, written.length, 'nothing is missing, nothing is there twice');
      const first = Number(begun) + 1;
      const expected = Array.from({ length: written.length }, (_, index) => first + index);
      assert.deepEqual(positions, expected);
      assert.ok(written.length > cuts / 5, `${written.length} were written`);
    });
  });
}

describe('an event stream whose reader stalls', () => {
  const running = deployment({ declarations: eventDeclarations, settings: { REQUEST_TIMEOUT_SECONDS: '1' } });

  it('[G178] is cut off; after reconnecting the reader gets every event', async () => {
    const { service } = running();
    const caller = await running().person();
    const first = await EventStream.open(caller);
    const { lastId } = first;
    first.close();
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.pause();
    socket.on('error', () => {});
    const bearer = `authorization: Bearer ${caller.token}`;
    socket.write(head('GET', '/api/consumer/v1/events', bearer, 'accept: text/event-stream'));
    const openStreams = () => metric(service, 'vestibule_event_streams_open');
    await until(openStreams, (open) => open === 1, 'the stream is not open');
    // The socket buffers fill first, and they hold megabytes.
    const written = 1_000;
    const text = 'x'.repeat(16_000);
    await concurrently(written, 8, () => caller.make('orders', { text }));
    await until(openStreams, (open) => open === 0, 'it is never cut off', 60_000);
    socket.destroy();
    const back = await EventStream.open(caller, { lastEventId: lastId });
    await back.next(written);
    assert.equal(back.events.length, written);
    back.close();
  });
});

describe('event streams of a stopping process', () => {
  const running = deployment({ settings: { DRAIN_SECONDS: '2', READS_PER_MINUTE: '1000000' } });

  it('end spread over the drain time, each with a reason; new ones are refused', async () => {
    const callers = await atOnce(4, () => running().person());
    const [caller = assert.fail()] = callers;
    const streams: EventStream[] = [];
    for (const each of callers)
      for (let number = 0; number < 5; number += 1) streams.push(await EventStream.open(each));
    const stopping = running().service.stop();
    const ended = () => streams.filter(({ isOver }) => isOver).length;
    const over = await until(ended, (count) => count >= 5, 'no stream ends');
    assert.ok(over < streams.length, 'all end at once');
    const refused = await caller.get('/events', { accept: 'text/event-stream' });
    assert.equal(refused.status, 503, refused.text);
    for (const stream of streams) {
      await stream.ended();
      assert.equal(stream.reason, 'shutting_down');
    }
    await stopping;
  });
});

/** Its token is checked before each heartbeat; one comes every fifteen seconds. */
async function continues(stream: EventStream, service: Service): Promise<void> {
  await service.advance(16_000);
  await stream.until(() => /\n\nid: \d+\n\n$/.test(stream.text), 'there is no heartbeat');
  stream.close();
}

describe("an event stream when the provider's keys are refreshed", () => {
  const running = deployment();
  const somebody = () => running().person({ exp: Math.floor((Date.now() + dayMs) / 1000) });
  const refresh = async () => {
    const { provider, service } = running();
    const { fetches } = provider;
    // The provider does not say how long its keys may be kept.
    await service.advance(600_000);
    const fetched = () => provider.fetches;
    await until(fetched, (count) => count > fetches, 'the keys are not fetched');
  };
  /** A stream that ends when the provider has these keys. */
  const endsWith = async (caller: ApiCaller, keys: readonly ProviderKey[]) => {
    const stream = await EventStream.open(caller);
    running().provider.keys = [...keys];
    await refresh();
    await running().service.advance(2_000);
    await stream.ended();
    return stream;
  };

  it('continues while the keys stay the same', async () => {
    const stream = await EventStream.open(await somebody());
    await refresh();
    await continues(stream, running().service);
  });

  it('ends when a key is added; the caller can resume at its position', async () => {
    const caller = await somebody();
    const stream = await endsWith(caller, [...running().provider.keys, await makeKey()]);
    assert.equal(stream.reason, undefined);
    const back = await EventStream.open(caller, { lastEventId: stream.lastId });
    assert.equal(back.lastId, stream.lastId);
    back.close();
  });

  it('ends when its key is withdrawn; the caller is refused', async () => {
    const caller = await somebody();
    await endsWith(caller, running().provider.keys.slice(1));
    assertRefused(await caller.get('/events'), 'key_unknown', caller.token);
  });
});

describe('an event stream whose token waited for a fetch of the keys', () => {
  const firstFetch = Promise.withResolvers<() => void>();
  const running = deployment({
    prepare: (_settings, provider) => {
      provider.answer = (_request, response) => {
        provider.answer = null;
        firstFetch.resolve(() => response.end(JSON.stringify(provider.document)));
      };
    },
  });

  it('continues, both with the first keys of the process and with a new key', async () => {
    const { provider, service } = running();
    const open = async () => EventStream.open(await running().person());
    const answer = await firstFetch.promise;
    const first = open();
    const connections = () => metric(service, 'vestibule_connections_open');
    await until(connections, (open) => open === 1, 'the request does not come');
    answer();
    await continues(await first, service);
    provider.keys.unshift(await makeKey());
    await continues(await open(), service);
  });
});
