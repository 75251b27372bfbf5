import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exampleDeclarations } from '../support/people/examples.ts';
import { Person } from '../support/people/person.ts';
import { deployment } from '../support/services/deployment.ts';

for (const engine of ['sqlite', 'postgres'] as const)
  describe(`the meetup example, on ${engine}`, () => {
    const target = deployment({ engine, declarations: exampleDeclarations('meetup') });
    const meetup = { title: 'Talk', starts: '2999-01-01T18:00:00Z', seats: 2 };

    it('as many registrations as seats are confirmed; the longest waiting moves up', async () => {
      const [ada, hal, ...guests] = (await Person.several(target(), 6)) as [Person, Person, ...Person[]];
      const [bob, cat, dan, eve] = guests as [Person, Person, Person, Person];
      const id = await ada.make('meetups', meetup);
      const draft = await bob.post('registrations', { meetup: id });
      assert.deepEqual([draft.status, draft.body.errors[0].pointer], [422, '/meetup']);
      await ada.invites(`meetups/${id}`, 'helper', hal);
      assert.equal((await ada.post(`meetups/${id}/publish`)).status, 200);
      const made = [];
      for (const guest of guests) made.push((await guest.post('registrations', { meetup: id })).body);
      assert.equal(made.map(({ state }) => state).join(), 'confirmed,confirmed,waiting,waiting');
      const counts = async () => (await eve.get(`meetups/${id}`)).body.counts.registrations;
      assert.deepEqual(await counts(), { confirmed: 2, waiting: 2, present: 0 });
      assert.equal((await bob.post('registrations', { meetup: id })).body.code, 'not_unique');
      assert.equal((await bob.get(`registrations/${made[1].id}`)).status, 404);
      assert.deepEqual((await bob.get(`registrations?meetup=${id}`)).body.items.length, 1);
      assert.deepEqual((await hal.get(`registrations?meetup=${id}`)).body.items.length, 4);
      const early = await hal.post(`registrations/${made[3].id}/confirm`);
      assert.deepEqual([early.status, early.body.code], [409, 'no_capacity']);

      assert.equal((await bob.post(`registrations/${made[0].id}/cancel`)).status, 200);
      assert.equal((await dan.get(`registrations/${made[2].id}`)).body.state, 'confirmed');
      assert.equal((await eve.get(`registrations/${made[3].id}`)).body.state, 'waiting');
      const again = await bob.post('registrations', { meetup: id });
      assert.equal(again.body.state, 'waiting', 'again, at the end');
      const anew = await eve.post('batch', {
        operations: [
          { act: 'cancel', in: 'registrations', id: made[3].id },
          { create: 'registrations', fields: { meetup: id } },
        ],
      });
      assert.equal(anew.body.results?.[1].record.state, 'waiting', JSON.stringify(anew.body));
      const kept = (await cat.delete(`registrations/${made[1].id}`)).body;
      assert.deepEqual([kept.code, kept.allowed], ['not_editable', ['cancelled']]);
      assert.match(kept.title, /deleted/);
      assert.equal((await hal.post(`registrations/${made[1].id}/check_in`)).status, 200);
      assert.deepEqual(await counts(), { confirmed: 1, waiting: 2, present: 1 });
      assert.equal((await ada.post(`meetups/${id}/call_off`)).status, 200);
      const late = await hal.post('registrations', { meetup: id });
      assert.deepEqual([late.status, late.body.code], [409, 'parent_closed']);
    });

    it('20 seats are never exceeded when 60 register at once and some cancel', async () => {
      const ada = await Person.of(target());
      const id = await ada.make('meetups', { ...meetup, seats: 20 });
      await ada.post(`meetups/${id}/publish`);
      const guests = await Person.several(target(), 60);
      const made = await Promise.all(guests.map((guest) => guest.post('registrations', { meetup: id })));
      assert.ok(made.every(({ status }) => status === 201));
      await Promise.all(
        made.map(
          ({ body }, index) => index % 3 === 0 && guests[index]?.post(`registrations/${body.id}/cancel`),
        ),
      );
      const { registrations } = (await ada.get(`meetups/${id}`)).body.counts;
      assert.deepEqual(registrations, { confirmed: 20, waiting: 20, present: 0 });
      const { items } = (await ada.get(`registrations?meetup=${id}&limit=100&sort=created_at`)).body;
      const inState = (state: string) => items.filter((one: { state: string }) => one.state === state);
      assert.deepEqual([inState('confirmed').length, inState('waiting').length], [20, 20]);
      const last = inState('confirmed').at(-1).created_at;
      assert.ok(inState('waiting').every(({ created_at: at }: { created_at: string }) => at >= last));
    });
  });
