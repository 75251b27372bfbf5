import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertProblemWith, declaredService } from '../support/declared-service.ts';
import { EventStream } from '../support/event-stream.ts';
import { until } from '../support/polling.ts';

describe('429 at GET /events', () => {
  const service = declaredService('sqlite', { settings: { STREAMS_PER_CALLER: '2' } });
  const stream = { accept: 'text/event-stream' };

  it('a caller has so many streams and waiting requests, and one more when one has ended', async () => {
    const [caller, other] = [await service().person(), await service().person()];
    const first = await EventStream.open(caller);
    const waiting = caller.get('/events?wait=30');
    const refused = await until(
      () => caller.get('/events?after=0&wait=1', {}),
      ({ status }) => status === 429,
      'a third is let in',
    );
    assertProblemWith(refused, 'too_many_streams', { limit: 2 });
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assertProblemWith(await caller.get('/events', stream), 'too_many_streams', { limit: 2 });
    const others = await EventStream.open(other);
    assert.equal((await caller.get('/events')).status, 200, 'what does not wait needs no place');
    first.close();
    await until(
      async () => (await service().service.metrics()).match(/vestibule_event_streams_open (\d+)/)?.[1],
      (open) => open === '1',
      'the stream is not given up',
    );
    const second = await EventStream.open(caller);
    await caller.make('notes', { text: 'x' });
    assert.equal((await waiting).status, 200);
    await second.next(1);
    for (const one of [second, others]) one.close();
  });

  it('HEAD takes no place', async () => {
    const caller = await service().person();
    for (let time = 0; time < 5; time += 1) {
      const reply = await caller.send('HEAD', '/events', undefined, stream);
      assert.equal(reply.status, 200);
      assert.equal(reply.headers.get('content-type'), 'text/event-stream');
    }
  });
});
