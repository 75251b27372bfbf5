import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, it } from 'node:test';
import { Person } from '../people/person.ts';
import { atOnce, declaredProcesses } from '../support/declared-processes.ts';
import { until } from '../support/polling.ts';

/** What needs two processes, or time: places, unique values, and what the sweeper does. */

function examples(...names: readonly string[]): Record<string, string> {
  const paths = names.flatMap((name) => globSync(`examples/${name}/collections/*.yaml`));
  return Object.fromEntries(
    paths.map((path) => {
      const text = readFileSync(path, 'utf8').replace(/, newcomer: [^,}]+/, '');
      return [basename(path, '.yaml'), text.replace(/writes: \d+\/min/, 'writes: 1000/min')];
    }),
  );
}

for (const engine of ['sqlite', 'postgres'] as const)
  describe(`records under records at ${engine === 'postgres' ? 'two processes' : 'one process'}, on ${engine}`, () => {
    const target = declaredProcesses(engine, engine === 'postgres' ? 2 : 1, examples('meetup', 'household'), {
      NEWCOMERS_PER_HOUR: '1000000',
    });
    const starts = '2999-01-01T18:00:00Z';
    const meetupWith = async (seats: number) => {
      const ada = await Person.of(target());
      const id = await ada.make('meetups', { title: 'Talk', starts, seats });
      await ada.post(`meetups/${id}/publish`);
      return { ada, id };
    };
    /** At one process after the other. */
    const guests = async (count: number) =>
      (await Person.several(target(), count)).map((guest, index) => guest.at(target().service(index)));
    const statesOf = async (ada: Person, id: string) => {
      const { items } = (await ada.get(`registrations?meetup=${id}&limit=200&sort=created_at`)).body;
      const { registrations } = (await ada.get(`meetups/${id}`)).body.counts;
      const count = (state: string) => items.filter((one: { state: string }) => one.state === state).length;
      assert.deepEqual(
        { confirmed: count('confirmed'), waiting: count('waiting'), present: count('present') },
        registrations,
        'the tallies are what a count gives',
      );
      return registrations;
    };

    it('[23] 80 register for 20 seats while some cancel and others are confirmed out of turn', async () => {
      const { ada, id } = await meetupWith(20);
      const people = await guests(80);
      const made = await atOnce(80, async (index) => {
        const person = people[index] as Person;
        const { status, body } = await person.post('registrations', { meetup: id });
        assert.equal(status, 201);
        if (index % 4 === 0) assert.equal((await person.post(`registrations/${body.id}/cancel`)).status, 200);
        return body.id as string;
      });
      const early = await atOnce(10, (index) => ada.post(`registrations/${made[70 + index]}/confirm`));
      assert.ok(early.every(({ status }) => [200, 409].includes(status)));
      const { confirmed, waiting } = await statesOf(ada, id);
      assert.deepEqual([confirmed, confirmed + waiting], [20, 60]);
    });

    it('[22] of 30 who register at once as the same person one is registered', async () => {
      const { id } = await meetupWith(5);
      const eve = await Person.of(target());
      const made = await atOnce(30, (index) =>
        eve.at(target().service(index)).post('registrations', { meetup: id }),
      );
      assert.equal(made.filter(({ status }) => status === 201).length, 1);
      assert.ok(made.every(({ status, body }) => status === 201 || body.code === 'not_unique'));
    });

    it('[24] a seat that is freed by an erasure, or added, goes to the first in line within a minute', async () => {
      const { ada, id } = await meetupWith(1);
      const [bob, cat, dan] = (await guests(3)) as [Person, Person, Person];
      const ids: string[] = [];
      for (const guest of [bob, cat, dan]) ids.push(await guest.make('registrations', { meetup: id }));
      assert.equal((await bob.delete('me')).status, 200);
      assert.deepEqual(await statesOf(ada, id), { confirmed: 0, waiting: 2, present: 0 });
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

    it('deletes what was under a deleted list, and gives a list that was handed over with its entries', async () => {
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
      assert.equal(await exported(ada), 6);
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
