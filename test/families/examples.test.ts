import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventStream } from '../support/http/event-stream.ts';
import { exampleDeclarations } from '../support/people/examples.ts';
import { Person } from '../support/people/person.ts';
import { deployment } from '../support/services/deployment.ts';

for (const engine of ['sqlite', 'postgres'] as const)
  describe(`the examples, on ${engine}`, () => {
    const declarations = exampleDeclarations('class', 'feedback', 'household', 'meetup', 'team');
    const target = deployment({ engine, declarations });

    it('household: the entries of a shared list belong to the current owner of the list', async () => {
      const [ada, bob, eve] = (await Person.several(target(), 3)) as [Person, Person, Person];
      const list = await ada.make('lists', { title: 'Weekend' });
      await ada.invites(`lists/${list}`, 'member', bob);
      const milk = await bob.post('entries', { list, what: 'Milk' });
      assert.deepEqual([milk.status, milk.body.roles, milk.body.actions], [201, ['member'], ['buy']]);
      const one = `entries/${milk.body.id}`;
      const message = 'must be the id of a record in lists that the caller can read';
      const errors = [{ pointer: '/list', message }];
      for (const answer of [
        await eve.post('entries', { list, what: 'Beer' }),
        await eve.post('entries', { list: list.toUpperCase(), what: 'Beer' }),
        await eve.post('entries', { list: milk.body.id, what: 'Beer' }),
        await eve.post('entries', { list: 7, what: 'Beer' }),
        await eve.post('entries', { what: 'Beer' }),
      ])
        assert.deepEqual([answer.status, answer.body.errors], [422, errors]);
      assert.equal((await eve.get(`entries?list=${list}`)).status, 404);
      assert.equal((await eve.get(one)).status, 404);
      assert.equal((await eve.get('entries')).body.code, 'query_invalid');
      assert.equal((await ada.post(`${one}/buy`)).status, 200);
      assert.equal((await bob.patch(one, { amount: '2 l' })).status, 200);
      assert.equal((await bob.patch(one, { list: milk.body.id })).status, 422);
      const used = (await bob.get('me/usage')).body.collections;
      const entries = used.find(({ name }: { name: string }) => name === 'entries');
      assert.equal(entries.records.used, 0, 'they count for the list');

      const { code } = (await ada.post(`lists/${list}/invitations`, { role: 'owner' })).body;
      assert.equal((await bob.post('invitations', { code })).status, 200);
      assert.deepEqual((await bob.get(one)).body.roles, ['owner', 'member']);
      assert.deepEqual((await ada.get(one)).body.roles, ['member']);
      assert.equal((await ada.delete('me')).status, 200);
      assert.equal((await bob.get(one)).status, 200, 'handed over, so not erased with the former owner');

      assert.equal((await bob.delete(`lists/${list}`)).status, 204);
      assert.equal((await bob.get(one)).status, 404);
    });

    it('household: a member who leaves a list loses access to its entries', async () => {
      const [ada, bob] = (await Person.several(target(), 2)) as [Person, Person];
      const list = await ada.make('lists', { title: 'Weekend' });
      await ada.invites(`lists/${list}`, 'member', bob);
      const { id } = (await bob.post('entries', { list, what: 'Milk' })).body;
      assert.equal((await bob.delete(`lists/${list}/members/me`)).status, 204);
      assert.equal((await bob.get(`entries/${id}`)).status, 404);
      assert.equal((await bob.patch(`entries/${id}`, { what: 'Beer' })).status, 404);
      assert.equal((await bob.post('entries', { list, what: 'Beer' })).status, 422);
    });

    it('class: runs from assignment to grade with a teacher, an assistant and two students', async () => {
      const [ada, ben, sue, tom] = (await Person.several(target(), 4)) as [Person, Person, Person, Person];
      const course = await ada.make('classes', { title: '7b' });
      await ada.invites(`classes/${course}`, 'assistant', ben);
      await ben.invites(`classes/${course}`, 'student', sue, tom);
      const streams = { ada: await EventStream.open(ada.caller), sue: await EventStream.open(sue.caller) };
      const due = '2999-01-01T08:00:00Z';
      assert.equal((await sue.post('assignments', { class: course, title: 'Essay', due })).status, 403);
      const made = await ben.post('assignments', { class: course, title: 'Essay', due });
      assert.deepEqual([made.status, made.body.roles, made.body.actions], [201, ['teacher'], ['open']]);
      const essay = made.body.id;
      assert.equal((await sue.get(`assignments/${essay}`)).status, 404, 'a draft');
      const none = await sue.get(`assignments?class=${course}`);
      assert.deepEqual([none.status, none.body.items], [200, []], JSON.stringify(none.body));
      assert.equal((await sue.post('handins', { assignment: essay, text: 'x' })).status, 422);
      assert.equal((await ada.post(`assignments/${essay}/open`)).status, 200);
      const seen = await sue.get(`assignments?class=${course}&sort=due`);
      const [found] = seen.body.items;
      assert.deepEqual([seen.body.items.length, found.id, found.roles], [1, essay, ['student']]);

      const handin = await sue.post('handins', { assignment: essay, text: 'mine' });
      assert.deepEqual([handin.status, handin.body.roles], [201, ['owner', 'student']]);
      assert.deepEqual(handin.body.actions, ['hand_in']);
      const one = `handins/${handin.body.id}`;
      const again = await sue.post('handins', { assignment: essay, text: 'twice' });
      assert.deepEqual([again.status, again.body.code], [409, 'not_unique']);
      assert.equal((await tom.get(one)).status, 404);
      assert.equal((await ben.get(one)).status, 404, 'the teacher does not see a draft');
      assert.deepEqual((await ben.get(`handins?assignment=${essay}`)).body.items, []);
      assert.equal((await sue.post(`${one}/hand_in`)).status, 200);
      assert.equal((await ben.get(`handins?assignment=${essay}`)).body.items.length, 1);
      const { handins } = (await ada.get(`assignments/${essay}`)).body.counts;
      assert.deepEqual(handins, { handed_in: 1, returned: 0 });
      assert.equal((await sue.post(`${one}/return`, { grade: 1 })).body.code, 'action_not_allowed');
      const graded = await ben.post(`${one}/return`, { grade: 2 });
      assert.deepEqual([graded.status, graded.body.grade], [200, 2]);
      assert.equal((await sue.get(one)).body.grade, 2);
      assert.deepEqual((await sue.get('handins')).body.items.length, 1);
      const empty = await tom.get('assignments');
      assert.deepEqual([empty.status, empty.body.code], [400, 'query_invalid']);

      assert.deepEqual((await ada.delete(`assignments/${essay}`)).body.code, 'not_editable');
      assert.equal((await ada.delete(`classes/${course}`)).body.code, 'has_children');
      assert.equal((await sue.patch(one, { assignment: course })).status, 409);
      await streams.sue.next(4);
      const handedIn = ['handins.handed_in', 'handins.returned'];
      assert.deepEqual(streams.sue.types, ['assignments.open', 'handins.created', ...handedIn]);
      await streams.ada.next(4);
      assert.deepEqual(streams.ada.types, ['assignments.created', 'assignments.open', ...handedIn]);
      for (const stream of Object.values(streams)) stream.close();
    });

    it('team: members take tasks, and leads assign a member by alias', async () => {
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
      assert.equal((await act(cat, 'assign', { member: bobs })).body.code, 'action_not_allowed');
      const eves = await eve.aliasIn(`teams/${outside}`);
      assert.notEqual(eves, bobs);
      for (const member of ['per_AAAAAAAAAAAAAAAAAAAAAA', eves, 7, undefined]) {
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

    it('team: a member can have one card in a team', async () => {
      const [ada, bob] = (await Person.several(target(), 2)) as [Person, Person];
      const team = await ada.make('teams', { title: 'Core' });
      await ada.invites(`teams/${team}`, 'member', bob);
      assert.equal((await bob.post('cards', { team, nickname: 'Bo' })).status, 201);
      assert.equal((await bob.post('cards', { team, nickname: 'Bobby' })).body.code, 'not_unique');
      const { items } = (await ada.get(`cards?team=${team}`)).body;
      assert.deepEqual([items.length, items[0].owner], [1, await bob.aliasIn(`teams/${team}`)]);
    });

    const meetup = { title: 'Talk', starts: '2999-01-01T18:00:00Z', seats: 2 };

    it('meetup: as many registrations as seats are confirmed; the longest waiting moves up', async () => {
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
      const operations = [
        { act: 'cancel', in: 'registrations', id: made[3].id },
        { create: 'registrations', fields: { meetup: id } },
      ];
      const anew = await eve.post('batch', { operations });
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

    it('meetup: 20 seats are never exceeded when 60 register at once and some cancel', async () => {
      const ada = await Person.of(target());
      const id = await ada.make('meetups', { ...meetup, seats: 20 });
      await ada.post(`meetups/${id}/publish`);
      const guests = await Person.several(target(), 60);
      const made = await Promise.all(guests.map((guest) => guest.post('registrations', { meetup: id })));
      assert.ok(made.every(({ status }) => status === 201));
      const cancels = made.map(({ body }) => `registrations/${body.id}/cancel`);
      await Promise.all(cancels.map((path, index) => index % 3 === 0 && guests[index]?.post(path)));
      const { registrations } = (await ada.get(`meetups/${id}`)).body.counts;
      assert.deepEqual(registrations, { confirmed: 20, waiting: 20, present: 0 });
      const { items } = (await ada.get(`registrations?meetup=${id}&limit=100&sort=created_at`)).body;
      const inState = (state: string) => items.filter((one: { state: string }) => one.state === state);
      assert.deepEqual([inState('confirmed').length, inState('waiting').length], [20, 20]);
      const last = inState('confirmed').at(-1).created_at;
      assert.ok(inState('waiting').every(({ created_at: at }: { created_at: string }) => at >= last));
    });

    it('feedback: a stream of an issue sends events of its comments while everyone can read the issue', async () => {
      const [ada, bob, eve] = (await Person.several(target(), 3)) as [Person, Person, Person];
      const mod = await Person.of(target(), { scope: 'consumer issues.moderate' });
      const issue = await ada.make('issues', { title: 'It is slow', area: 'app' });
      const other = await ada.make('issues', { title: 'It is loud', area: 'app' });
      const stream = await EventStream.open(eve.caller, { query: `?in=issues/${issue}` });
      await bob.make('comments', { issue: other, text: 'No' });
      const comment = await bob.make('comments', { issue, text: 'Yes' });
      await stream.next(1);
      await mod.post(`issues/${issue}/hide`);
      await bob.patch(`comments/${comment}`, { text: 'Yes, and more' });
      await mod.post(`issues/${issue}/show`);
      await bob.patch(`comments/${comment}`, { text: 'Yes' });
      await stream.next(2);
      const list = await eve.caller.get(`/comments?issue=${issue}`);
      assert.equal(list.headers.get('events-scope'), `in=issues/${issue}`, 'the list names that stream');
      const one = await eve.caller.get(`/comments/${comment}`);
      assert.equal(one.headers.get('events-scope'), `in=issues/${issue}`, 'so does a single record');
      assert.match(one.headers.get('events-position') ?? '', /^[1-9]\d*$/);
      assert.equal((await ada.caller.get(`/issues/${issue}`)).headers.get('events-scope'), 'named');
      assert.deepEqual(stream.types, ['comments.created', 'comments.changed']);
      stream.close();
      await mod.post(`issues/${issue}/hide`);
      assert.equal((await eve.get(`events?in=issues/${issue}`)).status, 404);
      const tooMany = Array.from({ length: 21 }, (_, index) => `issues/${issue}${index}`).join();
      for (const wrong of ['votes/x', 'nothing/x', tooMany])
        assert.equal((await eve.get(`events?in=${wrong}`)).body.code, 'query_invalid', wrong);
    });

    it('feedback: comments of a hidden issue are hidden; the votes of all callers are counted', async () => {
      const [ada, bob, eve] = (await Person.several(target(), 3)) as [Person, Person, Person];
      const mod = await Person.of(target(), { scope: 'consumer issues.moderate' });
      const issue = await ada.make('issues', { title: 'It is slow', area: 'app' });
      const comment = (await bob.post('comments', { issue, text: 'Yes' })).body;
      const one = `comments/${comment.id}`;
      assert.equal((await eve.get(one)).status, 200);
      assert.equal((await eve.get(`comments?issue=${issue}`)).body.items.length, 1);
      for (const voter of [bob, eve]) assert.equal((await voter.post('votes', { issue })).status, 201);
      assert.equal((await bob.post('votes', { issue })).body.code, 'not_unique');
      assert.deepEqual((await ada.get(`issues/${issue}`)).body.counts, { comments: { shown: 1 }, votes: 2 });
      assert.equal((await ada.get(`votes?issue=${issue}`)).body.items.length, 0, 'only own votes are read');
      assert.equal((await eve.get('votes')).body.items.length, 1);

      assert.equal((await mod.post(`issues/${issue}/hide`)).status, 200);
      assert.equal((await eve.get(one)).status, 404);
      assert.equal((await eve.get(`comments?issue=${issue}`)).status, 404);
      assert.equal((await eve.post('votes', { issue })).status, 422);
      assert.equal((await mod.get(one)).status, 200, 'a moderator reads the hidden issue');
      assert.equal((await bob.get(one)).status, 200, 'the comment is his');
      assert.equal((await mod.post(`issues/${issue}/show`)).status, 200);
      assert.equal((await mod.post(`${one}/hide`)).status, 200);
      assert.deepEqual((await ada.get(`issues/${issue}`)).body.counts.comments, { shown: 0 });
    });
  });
