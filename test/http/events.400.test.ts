import { describe, it } from 'node:test';
import { assertProblemWith } from '../support/http/answers.ts';
import { sampleDeclarations } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';

describe('400 at GET /events', () => {
  const service = deployment({ declarations: sampleDeclarations });
  const stream = { accept: 'text/event-stream' };

  for (const [query, parameter] of Object.entries({
    '?collection=': 'collection',
    '?collection=nothing': 'collection',
    '?collection=notes,nothing': 'collection',
    '?collection=notes&collection=notes': 'collection',
    '?after=': 'after',
    '?after=-1': 'after',
    '?after=01': 'after',
    '?after=1e3': 'after',
    '?after=1.5': 'after',
    '?after=9999999999999999': 'after',
    '?wait=31': 'wait',
    '?wait=-1': 'wait',
    '?wait=1.5': 'wait',
    '?wait=': 'wait',
    '?limit=5': 'limit',
    '?cursor=5': 'cursor',
  }))
    it(`${query} is refused with parameter ${parameter}`, async () => {
      const caller = await service().person();
      assertProblemWith(await caller.get(`/events${query}`), 'query_invalid', { parameter });
    });

  it('?wait= is refused on a stream', async () => {
    const caller = await service().person();
    assertProblemWith(await caller.get('/events?wait=5', stream), 'query_invalid', { parameter: 'wait' });
  });

  for (const id of ['x', '-1', '1.5', '01', '9999999999999999', '"5"'])
    it(`Last-Event-ID: ${id} is refused`, async () => {
      const caller = await service().person();
      const reply = await caller.get('/events', { ...stream, 'last-event-id': id });
      assertProblemWith(reply, 'header_invalid', { header: 'Last-Event-ID' });
    });
});
