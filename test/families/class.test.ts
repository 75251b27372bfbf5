import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventStream } from '../support/http/event-stream.ts';
import { exampleDeclarations } from '../support/people/examples.ts';
import { Person } from '../support/people/person.ts';
import { deployment } from '../support/services/deployment.ts';

for (const engine of ['sqlite', 'postgres'] as const)
  describe(`the class example, on ${engine}`, () => {
    const target = deployment({ engine, declarations: exampleDeclarations('class') });

    it('runs from assignment to grade with a teacher, an assistant and two students', async () => {
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
      assert.deepEqual((await ada.get(`assignments/${essay}`)).body.counts, {
        handins: { handed_in: 1, returned: 0 },
      });
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
      assert.deepEqual(streams.sue.types, [
        'assignments.open',
        'handins.created',
        'handins.handed_in',
        'handins.returned',
      ]);
      await streams.ada.next(4);
      assert.deepEqual(streams.ada.types, [
        'assignments.created',
        'assignments.open',
        'handins.handed_in',
        'handins.returned',
      ]);
      for (const stream of Object.values(streams)) stream.close();
    });
  });
