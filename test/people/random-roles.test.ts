import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventStream } from '../support/http/event-stream.ts';
import { attackDeclarations } from '../support/people/attack-declarations.ts';
import { Person } from '../support/people/person.ts';
import { PseudoRandom } from '../support/run/pseudo-random.ts';
import { sized } from '../support/run/size.ts';
import { deployment } from '../support/services/deployment.ts';
import { databaseEngines } from '../support/services/service.ts';

type Role = 'owner' | 'chair' | 'guest';

/** The conditions that must hold for one person. */
interface Expected {
  person: Person;
  stream: EventStream;
  role: Role | null;
  /** The titles that the person was entitled to since its last erasure. */
  titles: Set<string>;
}

const steps = 80;

for (const engine of databaseEngines)
  describe(`random changes of roles, on ${engine}`, () => {
    const processes = engine === 'sqlite' ? 1 : 2;
    const target = deployment({ engine, processes, declarations: attackDeclarations });

    for (let seed = 1; seed <= sized(1, 20); seed += 1)
      it(`requests, lists and streams agree with a simple model (seed ${seed})`, async () => {
        const random = new PseudoRandom(seed);
        const people: Expected[] = [];
        const enter = async (sub: string): Promise<Pick<Expected, 'person' | 'stream'>> => {
          const person = await Person.of(target(), { sub });
          // The erasure of a person without data writes no event, which would end the stream.
          await person.make('lists', { title: 'Entered' });
          const elsewhere = person.at(target().serviceAt(1)).caller;
          return { person, stream: await EventStream.open(elsewhere, { lastEventId: '0' }) };
        };
        const subjectOf = (index: number) => `random ${engine} ${seed} ${index}`;
        for (let index = 0; index < 5; index += 1)
          people.push({ ...(await enter(subjectOf(index))), role: null, titles: new Set() });
        const [first] = people as [Expected];
        let title = 'title 0.';
        const id = await first.person.make('clubs', { title });
        const one = `clubs/${id}`;
        Object.assign(first, { role: 'owner', titles: new Set([title]) });

        const withRole = (...roles: readonly (Role | null)[]) =>
          people.filter(({ role }) => roles.includes(role));
        const owner = () => withRole('owner')[0] as Expected;
        const aliasOf = ({ person }: Expected) => person.aliasIn(one);
        const moves: readonly ((step: number) => Promise<unknown>)[] = [
          async (step) => {
            title = `title ${step}.`;
            const { person } = random.pick(withRole('owner', 'chair'));
            assert.equal((await person.at(target().serviceAt(step)).patch(one, { title })).status, 200);
            for (const { titles } of withRole('owner', 'chair', 'guest')) titles.add(title);
          },
          async () => {
            const [invited, role] = [random.pick(withRole(null)), random.pick(['chair', 'guest'] as const)];
            if (invited === undefined) return;
            await random.pick(withRole('owner', 'chair')).person.invites(one, role, invited.person);
            invited.role = role;
          },
          async () => {
            const removed = random.pick(withRole('chair', 'guest'));
            if (removed === undefined) return;
            const { person } = random.pick(withRole('owner', 'chair'));
            assert.equal((await person.delete(`${one}/members/${await aliasOf(removed)}`)).status, 204);
            removed.role = null;
          },
          async () => {
            const leaving = random.pick(withRole('chair', 'guest'));
            if (leaving === undefined) return;
            assert.equal((await leaving.person.delete(`${one}/members/me`)).status, 204);
            leaving.role = null;
          },
          async () => {
            const changed = random.pick(withRole('chair', 'guest'));
            if (changed === undefined) return;
            const role = changed.role === 'chair' ? 'guest' : 'chair';
            const path = `${one}/members/${await aliasOf(changed)}`;
            assert.equal((await owner().person.patch(path, { role })).status, 204);
            changed.role = role;
          },
          async () => {
            const next = random.pick(people.filter(({ role }) => role !== 'owner'));
            const code = await owner().person.codeFor(one, { role: 'owner' });
            const accepted = await next.person.at(target().serviceAt(1)).post('invitations', { code });
            assert.equal(accepted.status, 200, accepted.reply.text);
            owner().role = 'guest';
            next.role = 'owner';
            for (const { titles } of withRole('owner', 'chair', 'guest')) titles.add(title);
          },
          async () => {
            const erased = random.pick(people.filter(({ role }) => role !== 'owner'));
            assert.equal((await erased.person.delete('me')).status, 200);
            await erased.stream.ended();
            const again = await enter(subjectOf(people.indexOf(erased)));
            Object.assign(erased, { role: null, titles: new Set(), ...again });
          },
        ];
        for (let step = 1; step <= steps; step += 1) {
          // Erasures are few: the service allows so many an hour.
          await random.pick(random.below(8) === 0 ? moves : moves.slice(0, -1))(step);
          for (const { person, role } of people) {
            const { status, body } = await person.at(target().serviceAt(step)).get(one);
            const expected = role === null ? [404, undefined] : [200, [role]];
            assert.deepEqual([status, body.roles], expected, `step ${step}`);
            const { items } = (await person.get('clubs')).body;
            assert.equal(items.length, role === null ? 0 : 1, `step ${step}`);
          }
        }
        const titlesIn = ({ text }: EventStream) => new Set(text.match(/title \d+\./g) ?? []);
        for (const { person, stream, titles } of people) {
          const own = await person.make('lists', { title: 'Own' });
          await stream.until(() => JSON.stringify(stream.events).includes(own), 'it does not catch up');
          assert.deepEqual(titlesIn(stream), titles);
          stream.close();
          const again = await EventStream.open(person.caller, { lastEventId: '0' });
          await again.until(() => JSON.stringify(again.events).includes(own), 'it does not catch up');
          assert.deepEqual([...titlesIn(again).difference(titles)], [], 'heard again from the beginning');
          again.close();
        }
      });
  });
