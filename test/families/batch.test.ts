import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { plainSql } from '../support/databases/plain-sql.ts';
import { Person } from '../support/people/person.ts';
import { atOnce, deployment } from '../support/services/deployment.ts';
import { databaseEngines } from '../support/services/service.ts';

const declarations = {
  rooms: `
schema: { required: [title], properties: { title: { type: string, maxLength: 80 } } }
states:
  open: { close: closed, hide: hidden, sit: { to: busy, by: everyone, grants: guest } }
  busy: { rise: { to: open, by: [owner, guest], revokes: guest } }
  closed: { reopen: open }
  hidden: {}
roles: { guest: { max_per_user: 3 } }
access: { read: { owner: all, everyone: [open, busy, closed] }, update: { owner: all, guest: [busy] }, delete: owner }
limits: { writes: 10000/min }
`,
  papers: `
parent: { field: room, collection: rooms, accepts: { states: [open, busy] }, on_delete: restrict, max: 60, counts: true }
schema:
  required: [slug]
  properties: { slug: { type: string, maxLength: 40 }, note: { type: string, maxLength: 100 } }
roles: { author: { parent_roles: [owner, guest] } }
access: { create: author, read: author, update: author, delete: author }
unique: [{ fields: [parent, slug] }]
limits: { writes: 10000/min }
`,
  chairs: `
parent: { field: room, collection: rooms, on_delete: cascade, capacity: { states: [taken], number: 2, overflow: waiting }, counts: [taken, waiting] }
schema: { properties: { note: { type: string, maxLength: 40 } } }
access: { create: everyone, read: owner }
states: { taken: { leave: gone }, waiting: { leave: gone }, gone: {} }
limits: { writes: 10000/min }
`,
};

for (const engine of databaseEngines)
  describe(`batches of records under a parent, on ${engine}`, () => {
    const target = deployment({ engine, processes: engine === 'sqlite' ? 1 : 2, declarations });
    const batch = (person: Person, operations: readonly object[]) => person.post('batch', { operations });
    const paper = (room: string, slug: string) => ({ create: 'papers', fields: { room, slug } });
    const slugsIn = async (person: Person, room: string) =>
      (await person.get(`papers?room=${room}&limit=200`)).body.items
        .map(({ slug }: { slug: string }) => slug)
        .sort();
    const refusal = ({ status, body }: Awaited<ReturnType<typeof batch>>) =>
      `${status} ${body.index} ${body.problem?.code}`;

    it('[29] a batch may join and then write: each operation sees the ones before it', async () => {
      const [ada, eve] = [await Person.of(target()), await Person.of(target())];
      const room = await ada.make('rooms', { title: 'One' });
      const sit = { act: 'sit', in: 'rooms', id: room };
      assert.equal(refusal(await batch(eve, [paper(room, 'a'), sit])), '409 0 role_required');
      const joined = await batch(eve, [
        sit,
        paper(room, 'a'),
        { update: 'rooms', id: room, fields: { title: 'Ours' } },
        { act: 'rise', in: 'rooms', id: room },
      ]);
      assert.equal(joined.status, 200, JSON.stringify(joined.body));
      assert.deepEqual(joined.body.results[1].record.roles, ['owner', 'author']);
      const left = await batch(eve, [sit, { act: 'rise', in: 'rooms', id: room }, paper(room, 'b')]);
      assert.equal(refusal(left), '409 2 role_required');
      assert.deepEqual(await slugsIn(ada, room), ['a']);
    });

    it('[29] a batch cannot write under a parent that it has deleted or closed', async () => {
      const [ada, eve] = [await Person.of(target()), await Person.of(target())];
      const room = await ada.make('rooms', { title: 'One' });
      const act = (action: string) => ({ act: action, in: 'rooms', id: room });
      const removal = { delete: 'rooms', id: room };
      const missing = await ada.post('papers', { room: randomUUID(), slug: 'a' });
      const deleted = await batch(ada, [removal, paper(room, 'a')]);
      assert.deepEqual([deleted.body.index, deleted.body.problem], [1, missing.body]);
      assert.equal(refusal(await batch(ada, [act('close'), paper(room, 'a')])), '409 1 parent_closed');
      assert.equal(refusal(await batch(ada, [paper(room, 'a'), removal])), '409 1 has_children');
      const done = await batch(ada, [act('close'), act('reopen'), paper(room, 'a'), act('close')]);
      assert.equal(done.status, 200, JSON.stringify(done.body));
      const { id } = done.body.results[2].record;
      const emptied = await batch(ada, [{ delete: 'papers', id }, removal]);
      assert.equal(emptied.status, 200, JSON.stringify(emptied.body));
      assert.equal((await eve.get(`rooms/${room}`)).status, 404);
    });

    it('[29] a part on an invisible record fails like one on a missing record, and fails the batch', async () => {
      const [ada, eve] = [await Person.of(target()), await Person.of(target())];
      const hidden = await ada.make('rooms', { title: 'One' });
      const own = await eve.make('rooms', { title: 'Two' });
      await batch(ada, [paper(hidden, 'a'), { act: 'hide', in: 'rooms', id: hidden }]);
      const answers = [];
      for (const id of [hidden, randomUUID()])
        for (const part of [
          { update: 'rooms', id, fields: { title: 'x' } },
          { delete: 'rooms', id, if_match: '"x"' },
          { act: 'sit', in: 'rooms', id },
        ])
          answers.push((await batch(eve, [paper(own, 'a'), part, paper(own, 'b')])).reply.text);
      assert.equal(new Set(answers).size, 1, JSON.stringify(answers));
      assert.deepEqual(JSON.parse(answers[0] ?? '').problem.code, 'not_found');
      assert.deepEqual(await slugsIn(eve, own), []);
    });

    it('[22] equal unique values are accepted once, within one batch or across many', async () => {
      const ada = await Person.of(target());
      const room = await ada.make('rooms', { title: 'One' });
      const twice = await batch(ada, [paper(room, 'a'), paper(room, 'b'), paper(room, 'a')]);
      assert.equal(refusal(twice), '409 2 not_unique');
      const all = await atOnce(30, (index) =>
        ada
          .at(target().serviceAt(index))
          .post('batch', { operations: [paper(room, `own ${index}`), paper(room, 'same')] }),
      );
      const won = all.findIndex(({ status }) => status === 200);
      assert.equal(all.filter(({ status }) => status === 200).length, 1);
      for (const one of all.filter(({ status }) => status !== 200))
        assert.equal(refusal(one), '409 1 not_unique');
      assert.deepEqual(await slugsIn(ada, room), [`own ${won}`, 'same']);
    });

    it('[22] one conflict refuses a full batch of patches, but not the writes queued beside it', async () => {
      const ada = await Person.of(target());
      const room = await ada.make('rooms', { title: 'One' });
      const papers = Array.from({ length: 50 }, (_, index) => paper(room, `p${index}`));
      const made = await batch(ada, papers);
      const ids: string[] = made.body.results.map(({ record }: { record: { id: string } }) => record.id);
      const patches = (slugOf: (index: number) => string) =>
        ids.map((id, index) => ({ update: 'papers', id, fields: { slug: slugOf(index) } }));
      const wrong = patches((index) => (index === 48 ? 'p49' : `q${index}`));
      const [refused, ...beside] = await Promise.all([
        batch(ada, wrong),
        ...Array.from({ length: 10 }, (_, index) => ada.post('papers', { room, slug: `r${index}` })),
      ]);
      assert.equal(refusal(refused), '409 48 not_unique');
      assert.ok(beside.every(({ status }) => status === 201));
      assert.equal((await ada.get(`papers/${ids[0]}`)).body.slug, 'p0');
      const right = patches((index) => `q${index}`);
      const moved = await batch(ada, right);
      assert.equal(moved.status, 200, JSON.stringify(moved.body));
    });

    it('a later operation can reuse a unique value that an earlier one freed', async () => {
      const ada = await Person.of(target());
      const room = await ada.make('rooms', { title: 'One' });
      const made = await batch(ada, [paper(room, 'a'), paper(room, 'b'), paper(room, 'c')]);
      const [a, b, c] = made.body.results.map(({ record }: { record: { id: string } }) => record.id);
      const to = (id: string, slug: string) => ({ update: 'papers', id, fields: { slug } });
      for (const operations of [
        [to(a, 'x'), to(b, 'a'), to(a, 'b')],
        [to(a, 'z'), paper(room, 'b')],
        [{ delete: 'papers', id: c }, to(b, 'c'), paper(room, 'a')],
      ]) {
        const { status, body } = await batch(ada, operations);
        assert.equal(status, 200, JSON.stringify(body));
      }
      const slugs = [(await ada.get(`papers/${a}`)).body.slug, (await ada.get(`papers/${b}`)).body.slug];
      assert.deepEqual(slugs, ['z', 'c']);
      assert.deepEqual(await slugsIn(ada, room), ['a', 'b', 'c', 'z']);
    });

    it('places stay exact: waiting records move up within the batch', async () => {
      const [ada, bob] = [await Person.of(target()), await Person.of(target())];
      const room = await ada.make('rooms', { title: 'One' });
      const leave = (id: string | undefined) => ({ act: 'leave', in: 'chairs', id });
      const seated = await batch(bob, Array(6).fill({ create: 'chairs', fields: { room } }));
      const ids: string[] = seated.body.results.map(({ record }: { record: { id: string } }) => record.id);
      const first = await batch(bob, [leave(ids[0]), leave(ids[2])]);
      assert.equal(first.status, 200, JSON.stringify(first.body));
      assert.deepEqual((await ada.get(`rooms/${room}`)).body.counts.chairs, { taken: 2, waiting: 2 });
      const states = async () => {
        const all = await Promise.all(ids.map((id) => bob.get(`chairs/${id}`)));
        return all.map(({ body }) => body.state);
      };
      assert.deepEqual(await states(), ['gone', 'taken', 'gone', 'taken', 'waiting', 'waiting']);
      assert.equal((await batch(bob, [leave(ids[1]), leave(ids[3]), leave(ids[5])])).status, 200);
      assert.deepEqual(await states(), ['gone', 'gone', 'gone', 'gone', 'taken', 'gone']);
      assert.deepEqual((await ada.get(`rooms/${room}`)).body.counts.chairs, { taken: 1, waiting: 0 });
    });

    it('the events of a batch are adjacent in the log despite concurrent writes', async () => {
      const people = await Person.several(target(), 8);
      await Promise.all(people.map((one) => one.make('rooms', { title: 'first' })));
      await atOnce(24, (index) =>
        batch(
          (people[index % 8] as Person).at(target().serviceAt(index)),
          [0, 1, 2, 3, 4, 5].map((part) => ({ create: 'rooms', fields: { title: `${index} ${part}` } })),
        ),
      );
      const rows = await plainSql(target().settings).query(
        `select records.body from events join records on records.id = events.record_id
         where events.type = 'rooms.created' and records.body like '%"title":"% %' order by events.position`,
      );
      const titles = rows.map(({ body }) => JSON.parse(String(body)).title.split(' ').map(Number));
      assert.equal(titles.length, 144);
      for (const [place, [index, part]] of titles.entries()) {
        assert.equal(part, place % 6);
        assert.equal(index, titles[place - part]?.[0]);
      }
    });
  });
