import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exampleDeclarations } from '../support/people/examples.ts';
import { Person } from '../support/people/person.ts';
import { deployment } from '../support/services/deployment.ts';
import { databaseEngines } from '../support/services/service.ts';

/** Records that belong to the owner of their parent, who can also get a role in them. */
const jobs = `
parent: { field: team, collection: teams, owned_by: parent }
schema: { properties: { text: { type: string, maxLength: 80 } } }
roles: { member: { parent_roles: [owner, member] }, taker: {} }
access: { create: member, read: [owner, member, taker] }
states: { open: { take: { to: taken, by: member, grants: taker } }, taken: { drop: { to: open, by: [owner, taker], revokes: taker } } }
search: [text]
`;
const notes = `
schema: { required: [size], properties: { size: { type: integer } } }
index: [size]
states: { open: { close: closed }, closed: {} }
access: { clients: any }
`;
const declarations = { ...exampleDeclarations('team', 'feedback'), jobs, notes };

for (const engine of databaseEngines)
  describe(`GET /<collection>/count, on ${engine}`, () => {
    const target = deployment({ engine, declarations, clients: { desk: [] } });
    const count = async (person: Person, path: string) => (await person.get(path)).body;

    it("counts the caller's own records that match the filters", async () => {
      const [ada, bob] = (await Person.several(target(), 2)) as [Person, Person];
      const ids = [];
      for (const size of [1, 2, 3]) ids.push(await ada.make('notes', { size }));
      await ada.post(`notes/${ids[0]}/close`);
      await bob.make('notes', { size: 1 });
      assert.deepEqual(await count(ada, 'notes/count'), { count: 3 });
      assert.deepEqual(await count(ada, 'notes/count?size[gte]=2&state=open'), { count: 2 });
      assert.deepEqual(await count(ada, 'notes/count?state=closed'), { count: 1 });
      assert.deepEqual(await count(ada, 'notes/count?mine=true&size=7'), { count: 0 });
      assert.deepEqual(await count(bob, 'notes/count'), { count: 1 });
      const { reply } = await ada.get('notes/count');
      assert.match(reply.headers.get('ratelimit') ?? '', /r=\d+/);
      assert.equal((await ada.caller.send('HEAD', '/notes/count')).status, 200);
      assert.equal((await ada.post('notes/count')).status, 405);
    });

    it('rejects the parameters that do not apply, and a count of all records without "mine"', async () => {
      const ada = await Person.of(target());
      const machine = new Person(await target().machine('desk'));
      for (const [person, query, parameter] of [
        [ada, 'notes/count?limit=5', 'limit'],
        [ada, 'notes/count?cursor=x', 'cursor'],
        [ada, 'notes/count?sort=size', 'sort'],
        [ada, 'notes/count?owner=x', 'owner'],
        [ada, 'notes/count?size=x', 'size'],
        [ada, 'notes/count?state=gone', 'state'],
        [ada, 'notes/count?size=1&size=2', 'size'],
        [machine, 'notes/count', 'mine'],
        [ada, 'issues/count', 'mine'],
      ] as const) {
        const { status, body } = await person.get(query);
        assert.deepEqual([status, body.code, body.parameter], [400, 'query_invalid', parameter], query);
      }
      assert.deepEqual(await count(machine, 'notes/count?mine=true'), { count: 0 });
      assert.equal((await ada.get('tasks/count?team=none')).status, 404);
    });

    it('counts the records under one parent, for callers who can read it', async () => {
      const [ada, bob, cat, eve] = (await Person.several(target(), 4)) as [Person, Person, Person, Person];
      const team = await ada.make('teams', { title: 'Core' });
      await ada.invites(`teams/${team}`, 'member', bob, cat);
      assert.deepEqual(await count(bob, 'teams/count'), { count: 1 });
      assert.deepEqual(await count(bob, 'teams/count?role=member'), { count: 1 });
      assert.deepEqual(await count(bob, 'teams/count?mine=true'), { count: 0 });
      const made: string[] = [];
      for (const due of ['2999-01-01', '2999-01-02', '2999-01-03'])
        made.push(await bob.make('tasks', { team, title: 'x', due }));
      assert.deepEqual(await count(cat, `tasks/count?team=${team}`), { count: 3 });
      assert.deepEqual(await count(cat, `tasks/count?team=${team}&due[gt]=2999-01-01&state=open`), {
        count: 2,
      });
      assert.equal((await eve.get(`tasks/count?team=${team}`)).status, 404);
      const etag = (await ada.get(`tasks/${made[0]}`)).reply.headers.get('etag') ?? '';
      const taken = (await ada.send('POST', `tasks/${made[0]}/take`, undefined, { 'if-match': etag })).status;
      assert.equal(taken, 200);
      const ids = (await ada.get('tasks')).body.items.map(({ id }: { id: string }) => id);
      assert.deepEqual(ids, [made[0]]);
      assert.deepEqual(await count(ada, 'tasks/count'), { count: 1 });
      assert.deepEqual(await count(bob, 'tasks/count'), { count: 0 });
      const removed = (await ada.delete(`teams/${team}/members/${await cat.aliasIn(`teams/${team}`)}`))
        .status;
      assert.equal(removed, 204);
      assert.equal((await cat.get(`tasks/count?team=${team}`)).status, 404);
    });

    it('a record counts once when its owner also has a role in it', async () => {
      const ada = await Person.of(target());
      const team = await ada.make('teams', { title: 'Core' });
      const taken = await ada.make('jobs', { team, text: 'hello' });
      await ada.make('jobs', { team, text: 'hello' });
      assert.equal((await ada.post(`jobs/${taken}/take`)).status, 200);
      for (const query of ['', '&q=hello'])
        assert.equal((await ada.caller.all('jobs', query)).length, 2, query);
      for (const query of ['', '?q=hello', '?state=taken'])
        assert.deepEqual(
          await count(ada, `jobs/count${query}`),
          { count: query.includes('state') ? 1 : 2 },
          query,
        );
    });

    it('counts hidden records only for callers who can read them', async () => {
      const [ada, bob] = (await Person.several(target(), 2)) as [Person, Person];
      const moderator = await Person.of(target(), { scope: 'issues.moderate' });
      const issue = await ada.make('issues', { title: 'It is slow', area: 'app' });
      const comment = await bob.make('comments', { issue, text: 'Here, too' });
      await ada.make('comments', { issue, text: 'Still' });
      assert.equal((await moderator.post(`comments/${comment}/hide`)).status, 200);
      const path = `comments/count?issue=${issue}`;
      const counts = [await count(ada, path), await count(bob, path), await count(moderator, path)];
      assert.deepEqual(counts, [{ count: 1 }, { count: 2 }, { count: 2 }]);
      assert.deepEqual(await count(ada, `${path}&state=hidden`), { count: 0 });
      assert.equal((await moderator.post(`issues/${issue}/hide`)).status, 200);
      assert.equal((await bob.get(path)).status, 404);
      assert.deepEqual(await count(bob, 'comments/count?mine=true'), { count: 1 }, 'owners read theirs');
    });
  });
