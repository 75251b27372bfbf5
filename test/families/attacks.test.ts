import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { plainSql } from '../support/databases/plain-sql.ts';
import { Person } from '../support/people/person.ts';
import { mistakesIn } from '../support/services/declared.ts';
import { dayMs, deployment } from '../support/services/deployment.ts';

const declarations = {
  rooms: `
schema: { required: [title], properties: { title: { type: string, maxLength: 80 } } }
states: { open: { close: closed, hide: hidden }, closed: {}, hidden: { show: open } }
roles: { member: { invited_by: [owner], max: 100 }, owner: { invited_by: owner } }
aliases: true
access: { read: { owner: all, member: [open, closed] }, update: owner, delete: owner }
limits: { writes: 10000/min }
`,
  papers: `
parent: { field: room, collection: rooms, accepts: { states: [open] }, on_delete: cascade, max: 300, counts: true }
schema:
  required: [slug]
  properties: { slug: { type: string, maxLength: 40 }, note: { type: string, maxLength: 100 } }
roles: { member: { parent_roles: [owner, member] } }
access: { create: member, read: member, update: member, delete: member }
unique: [{ fields: [parent, slug] }]
limits: { writes: 10000/min }
`,
  drafts: `
parent: { field: room, collection: rooms, owned_by: parent, on_delete: cascade }
schema: { required: [code], properties: { code: { type: string, maxLength: 40 } } }
index: [code]
roles: { member: { parent_roles: member }, moderator: { scope: moderate } }
access: { create: member, read: [owner, moderator] }
limits: { writes: 10000/min, bytes: 1048576 }
`,
  lines: `
parent: { field: draft, collection: drafts, owned_by: parent, on_delete: cascade }
schema: { required: [text], properties: { text: { type: string, maxLength: 40 } } }
roles: { editor: { parent_roles: owner }, moderator: { scope: moderate } }
access: { create: editor, read: [owner, moderator] }
events: full
`,
  chairs: `
parent: { field: room, collection: rooms, capacity: { states: [taken], number: 1, overflow: waiting } }
schema: { properties: { note: { type: string, maxLength: 40 } } }
roles: { member: { parent_roles: member } }
access: { create: member, read: owner }
states: { taken: { leave: gone }, waiting: { leave: gone }, gone: { again: taken } }
`,
  errands: `
parent: { field: room, collection: rooms, owned_by: parent }
schema: { properties: { note: { type: string, maxLength: 40 } } }
roles: { member: { parent_roles: [owner, member] }, doer: {} }
access: { create: member, read: { owner: [done], doer: all, member: [open, taken] }, update: nobody, delete: nobody }
states: { open: { take: { to: taken, by: member, grants: doer } }, taken: { finish: { to: done, by: [doer, member] } }, done: {} }
`,
  trips: `
schema: { required: [until], properties: { until: { type: string, format: date } } }
access: { read: everyone }
`,
  seats: `
parent: { field: trip, collection: trips, accepts: { before: until } }
schema: { properties: { note: { type: string, maxLength: 40 } } }
access: { create: everyone, read: owner }
`,
  slots: `
schema: { required: [at], properties: { at: { type: string, format: date-time } } }
index: [at]
unique: [{ fields: [owner, at] }]
`,
  desks: `
schema: { required: [place], properties: { place: { type: string, maxLength: 40 } } }
roles: { owner: { invited_by: owner } }
access: { read: owner, update: owner, delete: owner }
unique: [{ fields: [owner, place] }]
`,
};

for (const engine of ['sqlite', 'postgres'] as const)
  describe(`attacks on records under a parent, on ${engine}`, () => {
    const settings = { NEWCOMERS_PER_HOUR: '1000000', MAX_BODY_BYTES: '1048576' };
    const target = deployment({ engine, declarations, settings });
    const roomWith = async (members: number) => {
      const [ada, ...others] = (await Person.several(target(), members + 1)) as [Person, ...Person[]];
      const room = await ada.make('rooms', { title: 'One' });
      await ada.invites(`rooms/${room}`, 'member', ...others);
      return { ada, others, room };
    };

    it('a record is listed once for a parent owner who also has a role in the record', async () => {
      const { ada, room } = await roomWith(0);
      const [own, others] = [await ada.make('errands', { room }), await ada.make('errands', { room })];
      for (const id of [own, others]) await ada.post(`errands/${id}/take`);
      assert.equal((await ada.post(`errands/${own}/finish`)).status, 200);
      const { items } = (await ada.get('errands?sort=created_at')).body;
      const expected = [own, others].map((id) => [id, ['doer', 'member', 'owner']]);
      const listed = items.map(({ id, roles }: { id: string; roles: string[] }) => [id, roles.toSorted()]);
      assert.deepEqual(listed, expected);
    });

    it('[3] a parent that is missing, invisible, misspelt or of another collection gets the same 422', async () => {
      const { ada, room } = await roomWith(0);
      const eve = await Person.of(target());
      const paper = await ada.make('papers', { room, slug: 'a' });
      const texts = [room, randomUUID(), paper, room.toUpperCase(), ` ${room}`, `${room} `, ''];
      const answers = [];
      for (const given of [...texts, 7, null, [room]])
        answers.push(await eve.post('papers', { room: given, slug: 'b' }));
      for (const { status, body } of answers) assert.deepEqual([status, body], [422, answers[0]?.body]);
      assert.equal((await ada.get(`papers?room=${room}`)).body.items.length, 1);
    });

    it('[7] the parent of a record cannot be changed', async () => {
      const { ada, room } = await roomWith(0);
      const other = await ada.make('rooms', { title: 'Two' });
      const paper = `papers/${await ada.make('papers', { room, slug: 'a' })}`;
      for (const answer of [
        await ada.patch(paper, { room: other }),
        await ada.patch(paper, { room: null }),
        await ada.put(paper, { room: other, slug: 'a' }),
      ])
        assert.deepEqual([answer.status, answer.body.errors?.[0].pointer], [422, '/room']);
      for (const slug of [null, 7, {}, ['a'], 'x'.repeat(41)])
        assert.equal((await ada.patch(paper, { slug })).status, 422, JSON.stringify(slug));
      assert.equal((await ada.put(paper, { room, slug: 'b' })).status, 200);
      assert.equal((await ada.get(paper)).body.room, room);
    });

    it('[22] of 50 records with equal unique values one is created; changing to taken values is 409', async () => {
      const { ada, others, room } = await roomWith(5);
      const people = [ada, ...others];
      const made = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          (people[index % people.length] as Person).post('papers', { room, slug: 'same' }),
        ),
      );
      assert.equal(made.filter(({ status }) => status === 201).length, 1);
      assert.ok(made.every(({ status, body }) => status === 201 || body.code === 'not_unique'));
      const ids = await Promise.all(
        Array.from({ length: 20 }, (_, index) => ada.make('papers', { room, slug: `p${index}` })),
      );
      const changed = await Promise.all(
        ids.map((id, index) => ada.patch(`papers/${id}`, { slug: index === 7 ? 'same' : `q${index}` })),
      );
      const expected = ids.map((_, index) => (index === 7 ? 409 : 200));
      assert.deepEqual([...changed.map(({ status }) => status)], expected);
    });

    it('[22] one time in two notations is the same unique value, also in a patch', async () => {
      const ada = await Person.of(target());
      await ada.make('slots', { at: '2026-01-01T00:00:00Z' });
      const other = await ada.make('slots', { at: '2026-01-02T00:00:00Z' });
      const at = '2026-01-01T01:00:00+01:00';
      for (const { body } of [await ada.post('slots', { at }), await ada.patch(`slots/${other}`, { at })])
        assert.equal(body.code, 'not_unique');
    });

    it('a parent that accepts records until a date accepts them on that day, and not afterwards', async () => {
      const ada = await Person.of(target());
      const statusOn = async (ms: number) => {
        const trip = await ada.make('trips', { until: new Date(ms).toISOString().slice(0, 10) });
        const { status, body } = await ada.post('seats', { trip });
        return [status, body.code];
      };
      // Tomorrow, if this day ends within a minute.
      assert.deepEqual(await statusOn(Date.now() + 60_000), [201, undefined]);
      assert.deepEqual(await statusOn(Date.now() - dayMs), [409, 'parent_closed']);
    });

    it('[22] a hand-over is refused while the new owner has a record with the same values', async () => {
      const [ada, bob] = (await Person.several(target(), 2)) as [Person, Person];
      const desk = await ada.make('desks', { place: 'window' });
      const own = await bob.make('desks', { place: 'window' });
      const code = await ada.codeFor(`desks/${desk}`, { role: 'owner' });
      assert.equal((await bob.post('invitations', { code })).body.code, 'not_unique');
      assert.equal((await bob.patch(`desks/${own}`, { place: 'door' })).status, 200);
      assert.equal((await bob.post('invitations', { code })).status, 200);
    });

    it('[23] a record that gave up its place cannot return before records that wait', async () => {
      const { others, room } = await roomWith(3);
      const [bob, cat, dan] = others as [Person, Person, Person];
      await bob.make('chairs', { room });
      const left = await cat.make('chairs', { room });
      assert.equal((await cat.post(`chairs/${left}/leave`)).status, 200);
      const waiting = await dan.make('chairs', { room });
      assert.equal((await bob.delete('me')).status, 200);
      assert.equal((await cat.post(`chairs/${left}/again`)).body.code, 'no_capacity');
      assert.equal((await dan.get(`chairs/${waiting}`)).body.state, 'waiting');
    });

    it("[25] parent readers see its counts; me/usage counts only the caller's own records", async () => {
      const { ada, others, room } = await roomWith(1);
      await ada.make('papers', { room, slug: 'a' });
      const [bob] = others as [Person];
      const eve = await Person.of(target());
      assert.deepEqual((await bob.get(`rooms/${room}`)).body.counts, { papers: 1 });
      assert.equal((await eve.get(`rooms/${room}`)).status, 404);
      const used = (await bob.get('me/usage')).body.collections;
      assert.equal(used.find(({ name }: { name: string }) => name === 'papers').records.used, 0);
      for (const slug of ['b', 'c']) await bob.make('papers', { room, slug });
      assert.equal((await bob.delete('me')).status, 200);
      assert.deepEqual((await ada.get(`rooms/${room}`)).body.counts, { papers: 1 });
    });

    it('[26] deleting a record with 10,000 members deletes its members, codes and tallies', async () => {
      const { ada, others, room } = await roomWith(1);
      const eve = await Person.of(target());
      const code = await ada.codeFor(`rooms/${room}`, { role: 'member', uses: 100 });
      await ada.make('papers', { room, slug: 'a' });
      const database = plainSql(target().service.settings);
      const names = Array.from({ length: 10_000 }, (_, index) => `usr_${room}_${index}`);
      const bytes = (index: number) => {
        const hex = index.toString(16).padStart(32, '0');
        return engine === 'sqlite' ? `x'${hex}'` : `'\\x${hex}'`;
      };
      const consumers = names.map((name) => `('${name}', 'user', 'active', 0)`);
      await database.query(`insert into consumers values ${consumers}`);
      const member = (name: string, index: number) =>
        `('rooms', '${room}', 'member', '${name}', ${bytes(index)}, 0, 0)`;
      await database.query(`insert into members values ${names.map(member)}`);
      const left = async (table: string) =>
        (await database.query(`select 1 from ${table} where collection = 'rooms' and record_id = '${room}'`))
          .length;
      const tables = ['members', 'invitations', 'tallies'];
      assert.deepEqual(await Promise.all(tables.map(left)), [10_001, 1, 1]);
      assert.equal((await ada.delete(`rooms/${room}`)).status, 204);
      assert.deepEqual(await Promise.all(tables.map(left)), [0, 0, 0]);
      assert.equal((await eve.post('invitations', { code })).body.code, 'invitation_invalid');
      assert.equal((await (others[0] as Person).get(`rooms/${room}`)).status, 404);
    });

    it('[29] a write is judged by what came before it: joining, or deletion of the parent', async () => {
      const { ada, room } = await roomWith(0);
      const eve = await Person.of(target());
      const code = await ada.codeFor(`rooms/${room}`, { role: 'member' });
      const write = (slug: string, person = eve) => person.post('papers', { room, slug });
      const outside = await write('a');
      assert.equal(outside.status, 422);
      assert.equal((await eve.post('invitations', { code })).status, 200);
      assert.equal((await write('a')).status, 201);
      assert.equal((await ada.delete(`rooms/${room}`)).status, 204);
      for (const { status, body } of [await write('b'), await write('b', ada)])
        assert.deepEqual([status, body], [422, outside.body]);
      assert.equal((await eve.get(`papers?room=${room}`)).status, 404);
    });

    it('an invitation can be accepted during writes under another parent', async () => {
      const { ada, room } = await roomWith(0);
      const eve = await Person.of(target());
      const other = await ada.make('rooms', { title: 'Two' });
      const code = await ada.codeFor(`rooms/${other}`, { role: 'member' });
      const [accepted] = await Promise.all([
        eve.post('invitations', { code }),
        ...Array.from({ length: 20 }, (_, index) => ada.post('papers', { room, slug: `${index}` })),
      ]);
      assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
    });

    it('a new owner gets all levels under the record, even if the former owner is erased', async () => {
      const { ada, others, room } = await roomWith(1);
      const [bob] = others as [Person];
      const draft = await bob.make('drafts', { room, code: 'a' });
      const line = await ada.make('lines', { draft, text: 'kept' });
      await bob.post('invitations', { code: await ada.codeFor(`rooms/${room}`, { role: 'owner' }) });
      assert.equal((await ada.delete('me')).status, 200);
      for (const path of [`drafts/${draft}`, `lines/${line}`])
        assert.equal((await bob.get(path)).status, 200, path);
    });

    it('a scope role gets no events of grandchildren whose parent it cannot read', async () => {
      const { ada, others, room } = await roomWith(1);
      const moderator = await Person.of(target(), { scope: 'moderate' });
      const { next } = (await moderator.get('events')).body;
      const draft = await (others[0] as Person).make('drafts', { room, code: 'a' });
      const line = await ada.make('lines', { draft, text: 'hidden' });
      assert.equal((await moderator.get(`lines/${line}`)).status, 404);
      assert.deepEqual((await moderator.get(`events?after=${next}`)).body.items, []);
      assert.equal((await ada.get(`events?after=${next}`)).body.items.length, 2, 'control');
    });

    it("a repeated create returns the first answer when the parent's owner owns the record", async () => {
      const { others, room } = await roomWith(1);
      const [bob] = others as [Person];
      const create = () =>
        bob.send('POST', 'drafts', { room, code: 'a' }, { 'idempotency-key': 'draft of bob' });
      const [first, second] = [await create(), await create()];
      assert.deepEqual([second.status, second.body], [201, first.body]);
    });

    it('a cursor reveals nothing of records that the caller cannot read', async () => {
      const { others, room } = await roomWith(1);
      const [bob] = others as [Person];
      // A page examines 32 records of this size.
      for (let index = 0; index < 33; index += 1) await bob.make('drafts', { room, code: `code ${index}` });
      const { items, next } = (await bob.get(`drafts?room=${room}&sort=code`)).body;
      assert.deepEqual(items, []);
      const [place] = next.split('.');
      assert.doesNotMatch(Buffer.from(place, 'base64url').toString('latin1'), /code/);
      const last = (await bob.get(`drafts?room=${room}&sort=code&cursor=${next}`)).body;
      assert.deepEqual(last, { items: [], next: null });
    });

    it('a role by the parent ends when the caller can no longer read the parent', async () => {
      const { ada, others, room } = await roomWith(2);
      const [bob, cat] = others as [Person, Person];
      const paper = `papers/${await bob.make('papers', { room, slug: 'a' })}`;
      assert.equal((await cat.get(paper)).status, 200);
      await ada.post(`rooms/${room}/hide`);
      assert.equal((await cat.get(paper)).status, 404);
      assert.equal((await cat.get(`papers?room=${room}`)).status, 404);
      assert.equal((await bob.get(paper)).status, 404, 'its owner is not named in "read"');
      assert.equal((await bob.post('papers', { room, slug: 'b' })).status, 422);
      assert.equal((await ada.get(paper)).status, 200);
      await ada.post(`rooms/${room}/show`);
      await ada.post(`rooms/${room}/close`);
      assert.equal((await bob.post('papers', { room, slug: 'b' })).body.code, 'parent_closed');
      await ada.delete(`rooms/${room}/members/${await cat.aliasIn(`rooms/${room}`)}`);
      assert.equal((await cat.get(paper)).status, 404);
    });

    it('after deletion of the parent its records cannot be read or written', async () => {
      const { ada, others, room } = await roomWith(1);
      const [bob] = others as [Person];
      const paper = `papers/${await bob.make('papers', { room, slug: 'a' })}`;
      assert.equal((await ada.delete(`rooms/${room}`)).status, 204);
      for (const person of [ada, bob]) {
        assert.equal((await person.get(paper)).status, 404);
        assert.equal((await person.patch(paper, { note: 'x' })).status, 404);
      }
      const created = { 'if-none-match': '*' };
      assert.equal((await ada.caller.send('PUT', `/rooms/${room}`, { title: 'One' }, created)).status, 400);
    });
  });

describe('a declaration of a child collection is rejected', () => {
  const parent = 'parent: { field: room, collection: rooms }\n';
  const schema = 'schema: { required: [a], properties: { a: { type: integer } } }\n';
  const roles = (how: string) => `${schema}roles: { m: { ${how} } }\n`;
  const cases: Record<string, [string, RegExp]> = {
    'for a parent that is not declared': [parent + schema, /must be another collection/],
    'for parent roles without a parent': [roles('parent_roles: owner'), /needs a parent/],
    'for invitations to a child record': [parent + roles('invited_by: owner'), /Invite people to the parent/],
    'for a parent field that is also in the schema': [
      `parent: { field: a, collection: rooms }\n${schema}`,
      /is in the schema already/,
    ],
    '[21] for a unique rule that reveals records of other callers': [
      `${schema}unique: [{ fields: [a] }]\n`,
      /reveals/,
    ],
    'for a unique rule that leaves out the waiting state': [
      `parent: { field: room, collection: rooms, capacity: { states: [in], number: 1, overflow: out } }
schema: { properties: {} }
states: { in: { leave: out }, out: {} }
unique: [{ fields: [owner, parent], states: [in] }]
`,
      /must contain "out", too/,
    ],
    'for a unique rule over texts of more than 600 characters in total': [
      `schema:
  required: [a, b]
  properties: { a: { type: string, maxLength: 300 }, b: { type: string, maxLength: 300 } }
unique: [{ fields: [owner, a, b] }]
`,
      /600 characters together/,
    ],
    'for a unique rule over a text without a short maximum length': [
      'schema: { required: [a], properties: { a: { type: string, format: uri } } }\nunique: [{ fields: [owner, a] }]\n',
      /"maxLength" of at most 500/,
    ],
    'for a unique rule over an optional field': [
      'schema: { properties: { a: { type: integer } } }\nunique: [{ fields: [owner, a] }]\n',
      /must be in "required"/,
    ],
  };
  for (const [name, [text, expected]] of Object.entries(cases))
    it(name, () => assert.match(mistakesIn(text).join('\n'), expected));
});
