import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { ApiCaller } from '../support/http/api-caller.ts';
import { EventStream } from '../support/http/event-stream.ts';
import { concurrently } from '../support/load/flood.ts';
import { until } from '../support/run/polling.ts';
import { declarationsFolder, eventDeclarations } from '../support/services/declarations.ts';
import { newSettings, type Service, startService } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';

/** A service of its own, which may be stopped. */
async function withService(
  overrides: Record<string, string>,
  work: (service: Service, newCaller: (name: string) => Promise<ApiCaller>) => Promise<void>,
): Promise<void> {
  const provider = await TestProvider.start();
  const settings = await newSettings('sqlite', {
    ...provider.settings,
    COLLECTIONS_DIR: declarationsFolder(eventDeclarations),
    READS_PER_MINUTE: '1000000',
    ...overrides,
  });
  const service = await startService(settings);
  try {
    await work(service, async (sub) => new ApiCaller(service.url, await provider.token({ sub })));
  } finally {
    await service.stop();
    await provider.stop();
  }
}

const metricOf = async (service: Service, name: string) =>
  Number((await service.metrics()).match(new RegExp(`^${name} (\\d+)$`, 'm'))?.[1]);

describe('an event stream whose reader stalls', () => {
  it('[G178] is cut off; after reconnecting the reader gets every event', async () => {
    await withService({ REQUEST_TIMEOUT_SECONDS: '1' }, async (service, newCaller) => {
      const caller = await newCaller('slow');
      const first = await EventStream.open(caller);
      const { lastId } = first;
      first.close();
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
      const lines = [
        'GET /api/consumer/v1/events HTTP/1.1',
        'host: 127.0.0.1',
        `authorization: Bearer ${caller.token}`,
        'accept: text/event-stream',
      ];
      socket.pause();
      socket.on('error', () => {});
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
      const openStreams = () => metricOf(service, 'vestibule_event_streams_open');
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
});

describe('event streams of a stopping process', () => {
  it('end spread over the drain time, each with a reason; new ones are refused', async () => {
    await withService({ DRAIN_SECONDS: '2' }, async (service, newCaller) => {
      const streams: EventStream[] = [];
      const callers = await Promise.all(['one', 'two', 'three', 'four'].map((name) => newCaller(name)));
      const [caller] = callers as [ApiCaller];
      for (const each of callers)
        for (let number = 0; number < 5; number += 1) streams.push(await EventStream.open(each));
      const stopping = service.stop();
      const ended = () => streams.filter(({ isOver }) => isOver).length;
      await until(ended, (over) => over >= 5, 'no stream ends');
      assert.ok(
        streams.some(({ isOver }) => !isOver),
        'all end at once',
      );
      const refused = await caller.get('/events', { accept: 'text/event-stream' });
      assert.equal(refused.status, 503, refused.text);
      for (const stream of streams) {
        await stream.ended();
        assert.equal(stream.reason, 'shutting_down');
      }
      await stopping;
    });
  });
});
