import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventStream } from '../support/http/event-stream.ts';
import { peopleDeclarations } from '../support/people/declarations.ts';
import { Person } from '../support/people/person.ts';
import { deployment } from '../support/services/deployment.ts';

for (const engine of ['sqlite', 'postgres'] as const)
  describe(`the lending library, on ${engine}`, () => {
    const target = deployment({ engine, declarations: peopleDeclarations });

    it('a loan runs from request to return, with events for both sides', async () => {
      const [ada, bob, eve] = (await Person.several(target(), 3)) as [Person, Person, Person];
      const streams = {
        ada: await EventStream.open(ada.caller),
        bob: await EventStream.open(bob.caller),
        eve: await EventStream.open(eve.caller),
        eves: await EventStream.open(eve.caller, { query: '?collection=items' }),
      };
      const { status, body: drill } = await ada.post('items', { title: 'Drill' });
      assert.equal(status, 201);
      const one = `items/${drill.id}`;
      assert.match(drill.owner, /^per_[\w-]{22}$/);
      assert.deepEqual([drill.state, drill.roles, drill.actions], ['available', ['owner'], []]);
      assert.deepEqual(drill.people, {});

      const { items } = (await bob.get('items')).body;
      const listed = items.find(({ id }: { id: string }) => id === drill.id);
      assert.deepEqual([listed.roles, listed.actions, listed.owner], [[], ['request'], drill.owner]);
      const requested = (await bob.post(`${one}/request`)).body;
      assert.deepEqual([requested.state, requested.roles], ['requested', ['borrower']]);
      assert.deepEqual(requested.actions, ['withdraw']);
      assert.match(requested.people.borrower, /^per_[\w-]{22}$/);
      const late = await eve.post(`${one}/request`);
      assert.deepEqual([late.status, late.body.code, late.body.allowed], [409, 'invalid_transition', []]);
      assert.equal((await bob.post(`${one}/lend`, { due: '2026-12-24' })).body.code, 'action_not_allowed');
      assert.equal((await ada.post(`${one}/lend`)).body.code, 'validation_failed');
      assert.equal((await ada.post(`${one}/lend`, { due: '2026-12-24', title: 'Saw' })).status, 422);
      const lent = await ada.post(`${one}/lend`, { due: '2026-12-24' });
      assert.deepEqual([lent.status, lent.body.due, lent.body.actions], [200, '2026-12-24', ['take_back']]);
      assert.equal((await ada.patch(one, { due: '2027-12-24' })).body.code, 'not_editable');
      const borrowed = (await bob.get('items?role=borrower')).body.items;
      assert.equal(borrowed.map(({ id }: { id: string }) => id).join(), drill.id);
      assert.equal((await bob.post(`${one}/bring_back`)).status, 200);
      const back = (await ada.post(`${one}/take_back`)).body;
      assert.deepEqual([back.state, back.due, back.people], ['available', undefined, {}]);
      assert.equal((await ada.patch(one, { due: '2027-12-24' })).status, 422);
      assert.deepEqual((await bob.get('items?role=borrower')).body.items, []);

      const loan = ['items.requested', 'items.lent', 'items.returned', 'items.available'];
      await streams.bob.next(6);
      assert.deepEqual(streams.bob.types, ['items.joined', ...loan, 'items.left']);
      await streams.ada.next(7);
      assert.deepEqual(streams.ada.types, ['items.created', 'items.joined', ...loan, 'items.left']);
      await streams.eves.next(5);
      assert.deepEqual(streams.eves.types, ['items.created', ...loan]);
      assert.deepEqual(streams.eve.types, []);
      const told = streams.ada.events.find(({ type }) => type === 'items.requested')?.data.data ?? {};
      assert.deepEqual([told.action, told.from, told.by], ['request', 'available', 'everyone']);
      for (const stream of Object.values(streams)) stream.close();
    });
  });
