import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { assertProblem, bytesOf } from '../support/http/answers.ts';
import { Person } from '../support/people/person.ts';
import { deployment } from '../support/services/deployment.ts';
import { databaseEngines } from '../support/services/service.ts';

const roomy = 'limits: { writes: 10000/min }';
const declarations = {
  notes: `schema: { properties: { text: { type: string, maxLength: 80 } } }\naccess: { clients: own }\nhistory: true\n${roomy}\n`,
  plain: `schema: { properties: { text: { type: string, maxLength: 80 } } }\n${roomy}\n`,
  rooms: `
schema: { required: [seats], properties: { seats: { type: integer } } }
roles: { helper: { invited_by: owner }, editor: { scope: rooms.edit } }
access: { read: [everyone, editor], update: [editor, helper, owner], delete: owner }
history: true
${roomy}
`,
  seats: `
parent: { field: room, collection: rooms, capacity: { states: [taken], field: seats, overflow: waiting } }
schema: { properties: { note: { type: string, maxLength: 80 }, why: { type: string, maxLength: 80 } } }
roles: { host: { parent_roles: owner } }
access: { create: everyone, read: { owner: all, host: [taken, gone] }, update: { host: [gone], owner: [taken] }, delete: owner }
states:
  taken: { leave: { to: gone, by: [host, owner], sets: ["why?"] } }
  waiting: { leave: { to: gone, by: owner } }
  gone: {}
history: true
${roomy}
`,
};

for (const engine of databaseEngines)
  describe(`GET /<collection>/{id}/history, on ${engine}`, () => {
    const target = deployment({ engine, declarations, clients: { desk: [] } });
    const people = (count: number) => Person.several(target(), count) as Promise<[Person, ...Person[]]>;
    const steps = async (reader: Person, path: string, query = '') => {
      const { status, body, reply } = await reader.get(`${path}/history${query}`);
      assert.equal(status, 200, reply.text);
      for (const { at } of body.items) assert.match(at, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      return body.items.map(
        ({ action, from, to, by, ...others }: Record<string, unknown>) =>
          assert.deepEqual(Object.keys(others), ['at']) ?? [action, from, to, by],
      );
    };

    it('lists actions with the role of the caller, oldest first, until the record is deleted', async () => {
      const [ada] = await people(1);
      const path = `notes/${await ada.make('notes', { text: 'a' })}`;
      await ada.patch(path, { text: 'b' });
      await ada.put(path, { text: 'c' });
      assert.equal((await ada.send('PATCH', path, { text: 1 } as object)).status, 422);
      const update = ['update', null, null, 'owner'];
      assert.deepEqual(await steps(ada, path), [['create', null, null, 'owner'], update, update]);
      assert.equal((await ada.delete(path)).status, 204);
      assertProblem((await ada.get(`${path}/history`)).reply, 'not_found');
      const machine = new Person(await target().machine('desk'));
      const own = `notes/${await machine.make('notes', { text: 'a' })}`;
      await machine.patch(own, { text: 'b' });
      const roles = (await steps(machine, own)).map((step: string[]) => step.at(-1));
      assert.deepEqual(roles, ['client', 'owner']);
    });

    it('names the first declared role that allowed a change, and none for a promotion from the waiting list', async () => {
      const [ada, bob, cat] = (await people(3)) as [Person, Person, Person];
      const editor = await Person.of(target(), { scope: 'rooms.edit' });
      const room = await ada.make('rooms', { seats: 1 });
      await ada.invites(`rooms/${room}`, 'helper', bob);
      for (const person of [ada, bob, editor])
        assert.equal((await person.patch(`rooms/${room}`, { seats: 1 })).status, 200);
      const changes = (await steps(cat, `rooms/${room}`)).map(
        ([action, , , by]: string[]) => `${action} ${by}`,
      );
      assert.deepEqual(changes, ['create owner', 'update owner', 'update helper', 'update editor']);
      const taken = `seats/${await bob.make('seats', { room })}`;
      const waiting = `seats/${await cat.make('seats', { room })}`;
      assert.deepEqual(await steps(cat, waiting), [['create', null, 'waiting', 'owner']]);
      assert.equal((await ada.post(`${taken}/leave`, { why: 'late' })).status, 200);
      assert.deepEqual(await steps(bob, taken), [
        ['create', null, 'taken', 'owner'],
        ['leave', 'taken', 'gone', 'host'],
      ]);
      const { items } = (await cat.get(`${waiting}/history`)).body;
      assert.deepEqual(
        { ...items[1], at: '' },
        { at: '', action: 'moved_up', from: 'waiting', to: 'taken', by: null },
      );
      assert.equal((await ada.delete('me')).status, 200);
      assert.deepEqual((await steps(cat, waiting)).length, 2, 'erasing others changes nothing in it');
    });

    it('names, of several roles of the caller, the first declared one that may change the record in its state', async () => {
      const ada = await Person.of(target(), { scope: 'rooms.edit' });
      const room = await ada.make('rooms', { seats: 1 });
      const seat = await ada.make('seats', { room });
      await ada.patch(`rooms/${room}`, { seats: 2 });
      await ada.patch(`seats/${seat}`, { note: 'mine' });
      const update = (state: string | null, role: string) => ['update', state, state, role];
      assert.deepEqual((await steps(ada, `rooms/${room}`)).slice(1), [update(null, 'editor')]);
      assert.deepEqual((await steps(ada, `seats/${seat}`)).slice(1), [update('taken', 'owner')]);
    });

    it('has every operation of a batch, and none of a refused batch', async () => {
      const [ada] = await people(1);
      const [id, gone] = [randomUUID(), randomUUID()];
      const make = (own: string) => ({ create: 'notes', id: own, fields: { text: 'a' } });
      const update = { update: 'notes', id, fields: { text: 'b' } };
      const batch = (...operations: object[]) => ada.post('batch', { operations });
      assert.equal((await batch(make(id), make(gone), update, { delete: 'notes', id: gone })).status, 200);
      const made = [
        ['create', null, null, 'owner'],
        ['update', null, null, 'owner'],
      ];
      assert.deepEqual(await steps(ada, `notes/${id}`), made);
      assert.equal((await batch(update, { delete: 'notes', id: gone })).body.code, 'batch_refused');
      assert.deepEqual(await steps(ada, `notes/${id}`), made);
    });

    it('is 404 where the record cannot be read, the same bytes as for a missing one', async () => {
      const [ada, bob, eve] = (await people(3)) as [Person, Person, Person];
      const room = await ada.make('rooms', { seats: 1 });
      await bob.make('seats', { room });
      const waiting = await bob.make('seats', { room });
      const [missing] = [await eve.get(`seats/${randomUUID()}/history`)];
      assertProblem(missing.reply, 'not_found');
      for (const path of [
        `seats/${waiting}/history`,
        'seats/nothing/history',
        `seats/${waiting}/history?limit=1`,
      ])
        for (const person of [ada, eve])
          assert.deepEqual(bytesOf((await person.get(path)).reply), bytesOf(missing.reply), path);
      const plain = await ada.make('plain', {});
      assertProblem((await ada.get(`plain/${plain}/history`)).reply, 'not_found');
    });

    it('is paged, and a cursor works only for its caller and record', async () => {
      const [ada, bob] = (await people(2)) as [Person, Person];
      const room = `rooms/${await ada.make('rooms', { seats: 1 })}`;
      for (let seats = 2; seats < 6; seats += 1) await ada.patch(room, { seats });
      const sizes: number[] = [];
      let next: string | null = '';
      let first = '';
      while (next !== null) {
        const { body } = await ada.get(`${room}/history?limit=2${next === '' ? '' : `&cursor=${next}`}`);
        sizes.push(body.items.length);
        next = body.next;
        first ||= body.next;
      }
      assert.deepEqual(sizes, [2, 2, 1]);
      const other = `rooms/${await ada.make('rooms', { seats: 1 })}`;
      assert.equal((await ada.get(`${room}/history?cursor=${first}`)).body.items.length, 3);
      for (const [person, path] of [
        [bob, room],
        [ada, other],
      ] as const)
        assertProblem((await person.get(`${path}/history?cursor=${first}`)).reply, 'cursor_invalid');
      for (const query of ['limit=0', 'limit=201', 'cursor=&cursor=', 'sort=at', 'state=open'])
        assert.equal((await ada.get(`${room}/history?${query}`)).body.code, 'query_invalid', query);
      for (const cursor of ['', 'x', `${first}x`])
        assertProblem((await ada.get(`${room}/history?cursor=${cursor}`)).reply, 'cursor_invalid');
    });

    it("is in the owner's export only", async () => {
      const [ada, bob] = (await people(2)) as [Person, Person];
      const room = await ada.make('rooms', { seats: 1 });
      await ada.invites(`rooms/${room}`, 'helper', bob);
      await bob.patch(`rooms/${room}`, { seats: 2 });
      const linesOf = async (person: Person) =>
        (await person.caller.get('/me/export')).text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line))
          .filter(({ type }) => type === 'history');
      const [history, ...others] = await linesOf(ada);
      assert.deepEqual([history.collection, history.record, others], ['rooms', room, []]);
      assert.deepEqual(history.items, (await ada.get(`rooms/${room}/history`)).body.items);
      assert.deepEqual(await linesOf(bob), []);
    });

    it('collections with a history declare it in the overview', async () => {
      const [ada] = await people(1);
      const { collections } = (await ada.caller.get('')).json<{ collections: Record<string, unknown>[] }>();
      const declared = collections.map(({ name, history }) => [name, history]);
      assert.deepEqual(Object.fromEntries(declared), {
        notes: true,
        plain: undefined,
        rooms: true,
        seats: true,
      });
    });
  });
