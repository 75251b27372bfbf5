import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ApiCaller } from '../support/http/api-caller.ts';
import { EventStream } from '../support/http/event-stream.ts';
import { assertRefused } from '../support/http/refusals.ts';
import { until } from '../support/run/polling.ts';
import { deployment } from '../support/services/deployment.ts';
import { newSettings, type Service, startService } from '../support/services/service.ts';
import { metric } from '../support/services/supervised.ts';
import { makeKey, TestProvider } from '../support/tokens/provider.ts';

const dayMs = 86_400_000;
/** The provider does not say how long its keys may be kept. */
const refreshMs = 600_000;

/** Its token is checked before each heartbeat; one comes every fifteen seconds. */
async function continues(stream: EventStream, service: Service): Promise<void> {
  await service.advance(16_000);
  await stream.until(() => /\n\nid: \d+\n\n$/.test(stream.text), 'there is no heartbeat');
  stream.close();
}

describe("an event stream when the provider's keys are refreshed", () => {
  let provider: TestProvider;
  let service: Service;
  const running = deployment();
  before(() => {
    ({ provider, service } = running());
  });

  const somebody = async () => {
    const exp = Math.floor((Date.now() + dayMs) / 1000);
    return new ApiCaller(service.url, await provider.token({ sub: 'listener', exp }));
  };
  const refresh = async () => {
    const { fetches } = provider;
    await service.advance(refreshMs);
    const count = () => provider.fetches;
    await until(count, (count) => count > fetches, 'the keys are not fetched');
  };

  it('continues while the keys stay the same', async () => {
    const stream = await EventStream.open(await somebody());
    await refresh();
    await continues(stream, service);
  });

  it('ends when a key is added; the caller can resume at its position', async () => {
    const caller = await somebody();
    const stream = await EventStream.open(caller);
    provider.keys.push(await makeKey());
    await refresh();
    await service.advance(2_000);
    await stream.ended();
    assert.equal(stream.reason, undefined);
    const back = await EventStream.open(caller, { lastEventId: stream.lastId });
    assert.equal(back.lastId, stream.lastId);
    back.close();
  });

  it('ends when its key is withdrawn; the caller is refused', async () => {
    const caller = await somebody();
    const stream = await EventStream.open(caller);
    provider.keys.shift();
    await refresh();
    await service.advance(2_000);
    await stream.ended();
    assertRefused(await caller.get('/events'), 'key_unknown', caller.token);
  });
});

describe('an event stream whose token waited for a fetch of the keys', () => {
  it('continues, both with the first keys of the process and with a new key', async () => {
    const provider = await TestProvider.start();
    const firstFetch = Promise.withResolvers<() => void>();
    provider.answer = (_request, response) => {
      provider.answer = null;
      firstFetch.resolve(() => response.end(JSON.stringify(provider.document)));
    };
    const service = await startService(await newSettings('sqlite', provider.settings));
    try {
      const open = async () =>
        EventStream.open(new ApiCaller(service.url, await provider.token({ sub: 'listener' })));
      const answer = await firstFetch.promise;
      const first = open();
      const connections = () => metric(service, 'vestibule_connections_open');
      await until(connections, (open) => open === 1, 'the request does not come');
      answer();
      await continues(await first, service);
      provider.keys.unshift(await makeKey());
      await continues(await open(), service);
    } finally {
      await service.stop();
      await provider.stop();
    }
  });
});
