import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exampleDeclarations } from '../support/people/examples.ts';
import { Person } from '../support/people/person.ts';
import { until } from '../support/run/polling.ts';
import { deployment, hourMs } from '../support/services/deployment.ts';
import { countsUnder, meetupWith, raceForKey, raceForSeats } from './races.ts';

/** Rules that need two processes, or time: places, unique values, and the sweeper. */

/** One place, that of a record which is deleted or expires. */
const spots = `
parent: { field: meetup, collection: meetups, capacity: { states: [taken], number: 1, overflow: waiting } }
schema: { properties: { note: { type: string, maxLength: 40 } } }
access: { create: everyone, read: owner }
states: { taken: { leave: gone }, waiting: { leave: gone }, gone: {} }
limits: { expire: 1d }
`;

for (const engine of ['sqlite', 'postgres'] as const)
  describe(`records under records at ${engine === 'postgres' ? 'two processes' : 'one process'}, on ${engine}`, () => {
    const target = deployment({
      engine,
      processes: engine === 'postgres' ? 2 : 1,
      declarations: { ...exampleDeclarations('meetup', 'household'), spots },
      settings: {
        NEWCOMERS_PER_HOUR: '1000000',
      },
    });
    const guests = async (count: number) =>
      (await Person.several(target(), count)).map((guest, index) => guest.at(target().serviceAt(index)));

    it('[23] 20 seats are never exceeded when 80 register, some cancel and some are confirmed early', async () => {
      await raceForSeats(target(), await guests(80));
    });

    it('[22] of 30 simultaneous registrations of one person one is accepted', () => raceForKey(target(), 30));

    it('[24] a seat freed by an erasure, or added, goes to the longest waiting within a minute', async () => {
      const { ada, id } = await meetupWith(target(), 1);
      const [bob, cat, dan] = (await guests(3)) as [Person, Person, Person];
      const ids: string[] = [];
      for (const guest of [bob, cat, dan]) ids.push(await guest.make('registrations', { meetup: id }));
      assert.equal((await bob.delete('me')).status, 200);
      assert.deepEqual(await countsUnder(ada, id), { confirmed: 0, waiting: 2, present: 0 });
      const late = (await guests(1))[0] as Person;
      const last = await late.post('registrations', { meetup: id });
      assert.equal(last.body.state, 'waiting', 'the free seat is for the first in line');
      assert.equal((await late.post(`registrations/${last.body.id}/cancel`)).status, 200);
      const stateIs = (person: Person, of: string | undefined, state: string) =>
        until(
          async () => {
            await target().advance(60_000);
            return (await person.get(`registrations/${of}`)).body.state;
          },
          (now) => now === state,
          'nobody moves up',
        );
      await stateIs(cat, ids[1], 'confirmed');
      assert.equal((await dan.get(`registrations/${ids[2]}`)).body.state, 'waiting');
      assert.equal((await ada.patch(`meetups/${id}`, { seats: 2 })).status, 200);
      await stateIs(dan, ids[2], 'confirmed');
    });

    it('[24] a place is refilled at once after a deletion, within a minute after an expiry', async () => {
      const { id: meetup } = await meetupWith(target(), 1);
      const [bob, cat] = (await guests(2)) as [Person, Person];
      const dan = { sub: `dan on ${engine}` };
      const [first, second] = [await bob.make('spots', { meetup }), await cat.make('spots', { meetup })];
      const last = await (await Person.of(target(), dan)).make('spots', { meetup });
      assert.equal((await cat.get(`spots/${second}`)).body.state, 'waiting');
      assert.equal((await bob.delete(`spots/${first}`)).status, 204);
      assert.equal((await cat.get(`spots/${second}`)).body.state, 'taken');
      await target().advance(12 * hourMs);
      assert.equal(
        (await (await Person.of(target(), dan)).patch(`spots/${last}`, { note: 'here' })).status,
        200,
      );
      await target().advance(12 * hourMs);
      const later = await Person.of(target(), dan);
      await until(
        async () => {
          await target().advance(60_000);
          return (await later.get(`spots/${last}`)).body.state;
        },
        (state) => state === 'taken',
        'the place of an expired record stays free',
      );
    });

    it('the entries of a deleted list are deleted; those of a transferred list get its new owner', async () => {
      const [ada, bob] = (await Person.several(target(), 2)) as [Person, Person];
      const [kept, gone] = [await ada.make('lists', { title: 'A' }), await ada.make('lists', { title: 'B' })];
      for (const list of [kept, gone])
        for (let index = 0; index < 3; index += 1)
          assert.equal((await ada.post('entries', { list, what: `${index}` })).status, 201);
      await bob.post('invitations', { code: await ada.codeFor(`lists/${kept}`, { role: 'owner' }) });
      assert.equal((await ada.delete(`lists/${gone}`)).status, 204);
      const exported = async (person: Person) => {
        const text = (await person.caller.get('/me/export')).text;
        return (text.match(/"what":/g) ?? []).length;
      };
      assert.equal(await exported(ada), 3);
      await until(
        async () => {
          await target().advance(60_000);
          return [await exported(ada), await exported(bob)].join();
        },
        (counts) => counts === '0,3',
        'the entries stay where they were',
      );
      assert.equal((await bob.get(`entries?list=${kept}`)).body.items.length, 3);
    });
  });
