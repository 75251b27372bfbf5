import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertCode } from '../support/http/code.ts';
import { eventDeclarations } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';

describe('403 at GET /events', () => {
  const one = deployment({
    declarations: {
      ...eventDeclarations,
      people: eventDeclarations.notes.replace('own', 'none'),
    },
  });

  for (const accept of ['application/json', 'text/event-stream']) {
    it(`a caller without a subject gets subject_required (${accept})`, async () => {
      const caller = await one().person({ sub: undefined as never });
      assertCode(await caller.get('/events', { accept }), 'subject_required');
    });

    it(`a requested collection that does not admit the caller is refused (${accept})`, async () => {
      const person = await one().person();
      assertCode(await person.get('/events?collection=guarded', { accept }), 'insufficient_scope');
      const machine = await one().machine(`machine-${accept.length}`);
      assertCode(await machine.get('/events?collection=people', { accept }), 'client_not_admitted');
    });
  }

  it('without ?collection=, collections that do not admit the caller are left out', async () => {
    const person = await one().person({ scope: 'guarded.read' });
    const [begun, blind] = [(await person.get('/events')).json(), await one().person({ sub: 'without' })];
    await person.make('guarded', {});
    await person.make('notes', {});
    const types = async (caller: typeof person) =>
      (await caller.get(`/events?after=${begun.next}`))
        .json<{ items: { type: string }[] }>()
        .items.map(({ type }) => type);
    assert.deepEqual(await types(person), ['guarded.created', 'notes.created']);
    assert.deepEqual(await types(blind), []);
  });
});
