import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { EventStream } from '../support/http/event-stream.ts';
import { Person } from '../support/people/person.ts';
import { deployment } from '../support/services/deployment.ts';

const declarations = {
  crews: `
schema: { required: [title], properties: { title: { type: string, maxLength: 80 } } }
roles: { member: { invited_by: owner }, guest: { invited_by: owner }, owner: { invited_by: owner } }
aliases: true
access: { read: [owner, member, guest], update: owner, delete: owner }
`,
  jobs: `
parent: { field: crew, collection: crews, owned_by: parent, on_delete: cascade }
schema: { required: [title, rank], properties: { title: { type: string, maxLength: 80 }, rank: { type: integer } } }
index: [rank]
roles: { lead: { parent_roles: owner }, member: { parent_roles: [owner, member] }, doer: {} }
access: { create: member, read: [lead, doer, member], update: [lead, member], delete: lead }
states:
  open:
    take: { to: taken, by: member, grants: doer }
  taken:
    pass: { to: taken, by: lead, grants: doer, chosen_from: member, revokes: doer }
    finish: { to: done, by: [doer, lead] }
  done: {}
search: [title]
events: full
limits: { writes: 1000/min }
`,
};

interface Listed {
  readonly items: readonly { readonly id: string }[];
  readonly next: string | null;
}

for (const engine of ['sqlite', 'postgres'] as const)
  describe(`people who have left a parent record, on ${engine}`, () => {
    const target = deployment({ engine, declarations });

    /** A crew with an owner and two members. */
    const crewOfThree = async () => {
      const [ada, bob, cat] = (await Person.several(target(), 3)) as [Person, Person, Person];
      const crew = await ada.make('crews', { title: 'One' });
      await ada.invites(`crews/${crew}`, 'member', bob, cat);
      return { ada, bob, cat, crew };
    };
    const removes = async (owner: Person, crew: string, member: Person) => {
      const alias = await member.aliasIn(`crews/${crew}`);
      assert.equal((await owner.delete(`crews/${crew}/members/${alias}`)).status, 204);
    };

    it('a list tells nothing of hidden records, neither by its items nor by its next page', async () => {
      const { ada, bob, crew } = await crewOfThree();
      const hidden: string[] = [];
      const takesIn = async (parent: string, title: string, rank: number) => {
        const id = await bob.make('jobs', { crew: parent, title, rank });
        assert.equal((await bob.post(`jobs/${id}/take`)).status, 200);
        return id;
      };
      for (const rank of [1, 2, 3]) hidden.push(await takesIn(crew, 'Acquire a boat', rank));
      const other = await bob.make('crews', { title: 'Two' });
      const seen = [await takesIn(other, 'Acquire oars', 1), await takesIn(other, 'Acquire rope', 2)];
      const queries = ['', 'state=taken', 'state=done', 'rank[gte]=3', 'q=acquire', 'q=boat', 'role=doer'];
      const read = async (query: string): Promise<Listed> => (await bob.get(`jobs?${query}`)).body;
      const pagesOf = async (query: string) => {
        const pages: number[] = [];
        const ids: string[] = [];
        for (let next: string | null = ''; next !== null; ) {
          const page: Listed = await read(`${query}&limit=1${next === '' ? '' : `&cursor=${next}`}`);
          pages.push(page.items.length);
          ids.push(...page.items.map(({ id }) => id));
          next = page.next;
        }
        return { pages, ids };
      };
      await removes(ada, crew, bob);
      assert.equal((await bob.get(`jobs/${hidden[0]}`)).status, 404);
      const before = await Promise.all(queries.map(pagesOf));
      for (const id of hidden) {
        assert.equal((await ada.patch(`jobs/${id}`, { rank: 7, title: 'Sell a car' })).status, 200);
        assert.equal((await ada.post(`jobs/${id}/finish`)).status, 200);
      }
      assert.deepEqual(await Promise.all(queries.map(pagesOf)), before);
      const [all] = before;
      assert.deepEqual(all, { pages: [1, 1], ids: seen.toReversed() });
      assert.deepEqual(before[2], { pages: [0], ids: [] });
      assert.deepEqual((await bob.get('jobs/count')).body, { count: 2 });
    });

    it('a role that is passed on: the former holder gets no event of a hidden record, the new one gets all', async () => {
      const { ada, bob, cat, crew } = await crewOfThree();
      const job = await ada.make('jobs', { crew, title: 'Row', rank: 1 });
      assert.equal((await bob.post(`jobs/${job}/take`)).status, 200);
      await removes(ada, crew, bob);
      const streams = [await EventStream.open(bob.caller), await EventStream.open(cat.caller)];
      const [bobs, cats] = streams as [EventStream, EventStream];
      assert.equal((await ada.patch(`jobs/${job}`, { title: 'Row far' })).status, 200);
      const member = await cat.aliasIn(`crews/${crew}`);
      assert.equal((await ada.post(`jobs/${job}/pass`, { member })).status, 200);
      assert.equal((await ada.patch(`jobs/${job}`, { title: 'Row back' })).status, 200);
      await cats.until(() => JSON.stringify(cats.events).includes('Row back'), 'an event is missing');
      const own = await bob.make('crews', { title: 'Mine' });
      await bobs.until(() => JSON.stringify(bobs.events).includes(own), 'the stream of bob has stopped');
      assert.ok(bobs.types.includes('jobs.left') && !bobs.text.includes('"pass"'), bobs.text);
      for (const text of ['Row far', 'Row back']) assert.ok(!bobs.text.includes(text), text);
      for (const text of ['Row far', 'Row back']) assert.ok(cats.text.includes(text), text);
      assert.equal(cats.events.filter(({ data }) => data.data?.action === 'pass').length, 1);
      for (const stream of streams) stream.close();
    });

    it('a role is passed on only to a person with the role that the action chooses from', async () => {
      const { ada, bob, cat, crew } = await crewOfThree();
      const dan = await Person.of(target());
      await ada.invites(`crews/${crew}`, 'guest', dan);
      const job = await ada.make('jobs', { crew, title: 'Row', rank: 1 });
      assert.equal((await bob.post(`jobs/${job}/take`)).status, 200);
      const passTo = async (person: Person) =>
        ada.post(`jobs/${job}/pass`, { member: await person.aliasIn(`crews/${crew}`) });
      const refused = await passTo(dan);
      assert.deepEqual([refused.status, refused.body.errors?.[0].pointer], [422, '/member']);
      assert.equal((await passTo(cat)).status, 200);
      assert.equal((await dan.get(`jobs/${job}`)).status, 404);
    });

    it('a repeated request does not show a record under a parent that is hidden by now', async () => {
      const { ada, bob, crew } = await crewOfThree();
      const create = () =>
        bob.send('POST', 'jobs', { crew, title: 'Row', rank: 1 }, { 'idempotency-key': key });
      const key = randomUUID();
      const created = await create();
      assert.deepEqual([created.status, (await create()).body.id], [201, created.body.id]);
      await removes(ada, crew, bob);
      const repeated = await create();
      assert.deepEqual([repeated.status, repeated.body.code], [409, 'idempotency_record_gone']);
    });

    it('the export of a former owner has no records of the parent that it has handed over', async () => {
      const { ada, bob, crew } = await crewOfThree();
      const job = await bob.make('jobs', { crew, title: 'Row', rank: 1 });
      await ada.invites(`crews/${crew}`, 'owner', bob);
      assert.equal((await bob.patch(`jobs/${job}`, { title: 'Secret' })).status, 200);
      const lines = (await ada.caller.send('GET', '/me/export')).text.trim().split('\n');
      const last = JSON.parse(lines.at(-1) ?? '');
      assert.deepEqual([last, lines.filter((line) => line.includes(job))], [{ type: 'end', records: 0 }, []]);
    });
  });
