import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { streamsPerCaller } from '../../src/events/stream-limit.ts';
import { assertProblemWith } from '../support/http/answers.ts';
import type { ApiCaller } from '../support/http/api-caller.ts';
import { EventStream } from '../support/http/event-stream.ts';
import { until } from '../support/run/polling.ts';
import { sampleDeclarations } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';

const openAll = (caller: ApiCaller, count: number) =>
  Promise.all(Array.from({ length: count }, () => EventStream.open(caller)));

describe('429 at GET /events', () => {
  const service = deployment({ declarations: sampleDeclarations });
  const stream = { accept: 'text/event-stream' };
  const becomeOpen = (count: number) =>
    until(
      async () => (await service().service.metrics()).match(/vestibule_event_streams_open (\d+)/)?.[1],
      (open) => open === String(count),
      'a closed stream keeps its slot',
    );

  it('streams and long polls share one limit per caller, and a closed stream frees its slot', async () => {
    const [caller, other] = [await service().person(), await service().person()];
    const [first, ...further] = await openAll(caller, streamsPerCaller - 1);
    const waiting = caller.get('/events?wait=30');
    const refused = await until(
      () => caller.get('/events?after=0&wait=1', {}),
      ({ status }) => status === 429,
      'one too many is let in',
    );
    assertProblemWith(refused, 'too_many_streams', { limit: streamsPerCaller });
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assertProblemWith(await caller.get('/events', stream), 'too_many_streams', { limit: streamsPerCaller });
    const others = await EventStream.open(other);
    assert.equal((await caller.get('/events')).status, 200, 'what does not wait needs no place');
    first?.close();
    await becomeOpen(streamsPerCaller - 1);
    const second = await EventStream.open(caller);
    await caller.make('notes', { text: 'x' });
    assert.equal((await waiting).status, 200);
    await second.next(1);
    for (const one of [...further, second, others]) one.close();
  });

  it('HEAD does not count towards the stream limit', async () => {
    const caller = await service().person();
    for (let time = 0; time < 5; time += 1) {
      const reply = await caller.send('HEAD', '/events', undefined, stream);
      assert.equal(reply.status, 200);
      assert.equal(reply.headers.get('content-type'), 'text/event-stream');
    }
  });

  it('concurrent requests with one new token cannot exceed the stream limit', async () => {
    const caller = await service().person();
    const opened = await Promise.allSettled(Array.from({ length: 20 }, () => EventStream.open(caller)));
    const streams = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const refusals = opened.flatMap((result) =>
      result.status === 'rejected' ? [String(result.reason)] : [],
    );
    assert.equal(streams.length, streamsPerCaller);
    for (const refusal of refusals) assert.match(refusal, /429 .*too_many_streams/);
    for (const stream of streams) stream.close();
    await becomeOpen(0);
    (await EventStream.open(caller)).close();
  });
});
