import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventStream } from '../support/http/event-stream.ts';
import { exampleDeclarations } from '../support/people/examples.ts';
import { Person } from '../support/people/person.ts';
import { deployment } from '../support/services/deployment.ts';

for (const engine of ['sqlite', 'postgres'] as const)
  describe(`the team example, on ${engine}`, () => {
    const target = deployment({ engine, declarations: exampleDeclarations('team') });

    it('members take tasks, and leads assign a member by alias', async () => {
      const [ada, bob, cat, eve] = (await Person.several(target(), 4)) as [Person, Person, Person, Person];
      const team = await ada.make('teams', { title: 'Core' });
      await ada.invites(`teams/${team}`, 'member', bob, cat);
      const stream = await EventStream.open(bob.caller);
      const due = '2999-01-01';
      const task = (await bob.post('tasks', { team, title: 'Write', due })).body;
      assert.deepEqual([task.state, task.roles, task.actions], ['open', ['member'], ['take']]);
      const act = async (who: Person, action: string, body?: object) => {
        const { reply } = await who.get(`tasks/${task.id}`);
        const headers = { 'if-match': reply.headers.get('etag') ?? '*' };
        const answer = await who.caller.send('POST', `/tasks/${task.id}/${action}`, body, headers);
        // biome-ignore lint/suspicious/noExplicitAny: whatever the service has answered
        return { status: answer.status, body: answer.json() as any };
      };
      const bobs = await bob.aliasIn(`teams/${team}`);
      const outside = await eve.make('teams', { title: 'Other' });
      assert.notEqual(await eve.aliasIn(`teams/${outside}`), bobs);
      assert.equal((await act(cat, 'assign', { member: bobs })).body.code, 'action_not_allowed');
      for (const member of [
        'per_AAAAAAAAAAAAAAAAAAAAAA',
        await eve.aliasIn(`teams/${outside}`),
        7,
        undefined,
      ]) {
        const { status, body } = await act(ada, 'assign', { member });
        assert.deepEqual([status, body.errors?.[0].pointer], [422, '/member'], String(member));
      }
      const assigned = await act(ada, 'assign', { member: bobs });
      assert.deepEqual([assigned.status, assigned.body.people], [200, { assignee: bobs }]);
      assert.deepEqual((await bob.get(`tasks/${task.id}`)).body.roles, ['member', 'assignee'].toSorted());
      for (const query of ['', '?role=assignee'])
        assert.equal((await bob.get(`tasks${query}`)).body.items?.length, 1, query);
      await stream.next(3);
      assert.deepEqual(stream.types, ['tasks.created', 'tasks.joined', 'tasks.assigned']);

      assert.equal((await ada.delete(`teams/${team}/members/${bobs}`)).status, 204);
      assert.equal((await bob.get(`tasks/${task.id}`)).status, 404, 'the parent is a door');
      assert.deepEqual((await bob.get('tasks?role=assignee')).body.items, []);
      assert.equal((await cat.get(`tasks?team=${team}&sort=due`)).body.items.length, 1);
      assert.equal((await act(cat, 'drop')).body.code, 'action_not_allowed');
      assert.equal((await act(ada, 'drop')).status, 200);
      await stream.next(5);
      // Bob gets events about his own roles only.
      assert.deepEqual(stream.types.slice(3), ['teams.left', 'tasks.left']);
      stream.close();
    });

    it('a member can have one card in a team', async () => {
      const [ada, bob] = (await Person.several(target(), 2)) as [Person, Person];
      const team = await ada.make('teams', { title: 'Core' });
      await ada.invites(`teams/${team}`, 'member', bob);
      assert.equal((await bob.post('cards', { team, nickname: 'Bo' })).status, 201);
      assert.equal((await bob.post('cards', { team, nickname: 'Bobby' })).body.code, 'not_unique');
      const { items } = (await ada.get(`cards?team=${team}`)).body;
      assert.deepEqual([items.length, items[0].owner], [1, await bob.aliasIn(`teams/${team}`)]);
    });
  });
