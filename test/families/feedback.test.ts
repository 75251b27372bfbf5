import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventStream } from '../support/http/event-stream.ts';
import { exampleDeclarations } from '../support/people/examples.ts';
import { Person } from '../support/people/person.ts';
import { deployment } from '../support/services/deployment.ts';

for (const engine of ['sqlite', 'postgres'] as const)
  describe(`the feedback example, on ${engine}`, () => {
    const target = deployment({ engine, declarations: exampleDeclarations('feedback') });

    it('a stream of an issue sends events of its comments while everyone can read the issue', async () => {
      const [ada, bob, eve] = (await Person.several(target(), 3)) as [Person, Person, Person];
      const mod = await Person.of(target(), { scope: 'consumer issues.moderate' });
      const [issue, other] = [
        await ada.make('issues', { title: 'It is slow', area: 'app' }),
        await ada.make('issues', { title: 'It is loud', area: 'app' }),
      ];
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
      for (const wrong of [
        'votes/x',
        'nothing/x',
        Array(21)
          .fill(`issues/${issue}`)
          .map((one, index) => one + index)
          .join(),
      ])
        assert.equal((await eve.get(`events?in=${wrong}`)).body.code, 'query_invalid', wrong);
    });

    it('comments of a hidden issue are hidden; the votes of all callers are counted', async () => {
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
