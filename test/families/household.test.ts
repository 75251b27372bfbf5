import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exampleDeclarations } from '../support/people/examples.ts';
import { Person } from '../support/people/person.ts';
import { deployment } from '../support/services/deployment.ts';

for (const engine of ['sqlite', 'postgres'] as const)
  describe(`the household example, on ${engine}`, () => {
    const target = deployment({ engine, declarations: exampleDeclarations('household') });

    it('the entries of a shared list belong to the current owner of the list', async () => {
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

    it('a member who leaves a list loses access to its entries', async () => {
      const [ada, bob] = (await Person.several(target(), 2)) as [Person, Person];
      const list = await ada.make('lists', { title: 'Weekend' });
      await ada.invites(`lists/${list}`, 'member', bob);
      const { id } = (await bob.post('entries', { list, what: 'Milk' })).body;
      assert.equal((await bob.delete(`lists/${list}/members/me`)).status, 204);
      assert.equal((await bob.get(`entries/${id}`)).status, 404);
      assert.equal((await bob.patch(`entries/${id}`, { what: 'Beer' })).status, 404);
      assert.equal((await bob.post('entries', { list, what: 'Beer' })).status, 422);
    });
  });
