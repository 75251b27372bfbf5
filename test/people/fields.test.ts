import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plainSql } from '../support/databases/plain-sql.ts';
import { sendBytes } from '../support/http/api-caller.ts';
import { attackDeclarations } from '../support/people/attack-declarations.ts';
import { Person } from '../support/people/person.ts';
import { deployment } from '../support/services/deployment.ts';
import { databaseEngines } from '../support/services/service.ts';

const moderating = { scope: 'read write issues.moderate' };

for (const engine of databaseEngines)
  describe(`fields and actions that the caller may not use, on ${engine}`, () => {
    const target = deployment({ engine, declarations: attackDeclarations });
    const rows = async (id: string) => {
      const { query } = plainSql(target().service.settings);
      const members = `select collection, role, member from members where record_id = '${id}' order by role, member`;
      return JSON.stringify([await query(`select * from records where id = '${id}'`), await query(members)]);
    };

    it('owner, role, state and members cannot be set in a body', async () => {
      const [ada, bob, eve] = (await Person.several(target(), 3)) as [Person, Person, Person];
      const planted = {
        owner: 'per_AAAAAAAAAAAAAAAAAAAAAA',
        people: { borrower: 'per_AAAAAAAAAAAAAAAAAAAAAA' },
        roles: ['owner', 'borrower'],
        state: 'lent',
        actions: ['lend'],
      };
      const { status, body: made } = await ada.post('items', { title: 'Drill', ...planted });
      assert.equal(status, 201);
      assert.deepEqual([made.state, made.roles, made.people], ['available', ['owner'], {}]);
      assert.notEqual(made.owner, planted.owner);
      const one = `items/${made.id}`;
      for (const name of ['counts', 'member', 'members', 'alias', 'owner_id', 'role'])
        for (const [method, path] of Object.entries({ POST: 'items', PUT: one, PATCH: one })) {
          const before = await rows(made.id);
          const { status, body } = await ada.send(method, path, {
            title: 'Drill',
            [name]: 'per_',
          });
          assert.deepEqual([status, body.errors[0].pointer], [422, `/${name}`], `${method} ${name}`);
          assert.equal(await rows(made.id), before);
        }
      assert.equal((await bob.post(`${one}/request`, planted)).status, 200);
      const before = await rows(made.id);
      for (const attempt of [
        await ada.put(one, { title: 'Drill', ...planted }),
        await ada.patch(one, { ...planted, owner: null, people: null, roles: null, state: null }),
        await eve.put(one, { title: 'Drill', ...planted }),
        await eve.post(`${one}/lend`, { ...planted, due: '2026-12-24' }),
      ])
        assert.ok(attempt.status === 403 || attempt.status === 409, String(attempt.status));
      assert.equal(await rows(made.id), before);
      const list = await ada.make('lists', { title: 'Ours' });
      const untouched = await rows(list);
      assert.equal((await ada.patch(`lists/${list}`, { owner: 'per_' })).status, 422);
      assert.equal((await ada.put(`lists/${list}`, { title: 'Ours', people: {} })).status, 422);
      assert.equal(await rows(list), untouched);
    });

    it('a field set by an action cannot be written directly', async () => {
      const ada = await Person.of(target());
      const moderator = await Person.of(target(), moderating);
      assert.equal((await ada.post('issues', { title: 'Slow', area: 'app', reason: 'none' })).status, 422);
      const labelled = { title: 'Slow!', area: 'app', labels: [] };
      assert.equal((await ada.post('issues', labelled)).status, 422);
      const id = await ada.make('issues', { title: 'Slow!', area: 'app' });
      const one = `issues/${id}`;
      const labels = ['bug', 'old'];
      assert.equal((await moderator.post(`${one}/label`, { labels })).status, 200);
      const pointers = ({ body }: { body: { errors: { pointer: string }[] } }) =>
        body.errors.map(({ pointer }) => pointer);
      for (const changed of [['bug'], ['old', 'bug'], [], null, 'bug']) {
        const patched = await ada.patch(one, { labels: changed });
        assert.equal(patched.status, 422, JSON.stringify(changed));
        assert.match(String(pointers(patched)), /^\/labels/);
      }
      const body = { title: 'Slow!', area: 'app' };
      assert.equal((await ada.put(one, body)).status, 422);
      assert.equal((await ada.put(one, { ...body, labels: ['bug'] })).status, 422);
      assert.equal((await ada.put(one, { ...body, labels, reason: 'none' })).status, 422);
      assert.equal((await ada.put(one, { ...body, labels })).status, 200);
      assert.equal((await ada.patch(one, { labels, title: 'Slower' })).status, 200);
      assert.deepEqual((await ada.get(one)).body.labels, labels);
      const path = '/issues/01234567-89ab-4cde-8f01-23456789abcd';
      const created = await ada.caller.send('PUT', path, { ...body, labels }, { 'if-none-match': '*' });
      assert.equal(created.status, 422);
      // A moderator may act on this field but not edit it.
      assert.equal((await moderator.patch(one, { labels: [] })).body.code, 'role_required');
    });

    it('an action refuses undeclared or invalid input and changes nothing', async () => {
      const ada = await Person.of(target());
      const moderator = await Person.of(target(), moderating);
      const id = await ada.make('issues', { title: 'Slow!', area: 'app' });
      const before = await rows(id);
      const deep = `{"labels":${'['.repeat(65)}${']'.repeat(65)}}`;
      for (const [action, status, ...bodies] of [
        [
          'label',
          422,
          '{"labels":["a"],"title":"Taken"}',
          '{"labels":["a"],"area":"site"}',
          '{"labels":null}',
        ],
        ['label', 422, '{"labels":["a","b","c","d","e","f"]}', '{"labels":[1]}', '{}', '', 'null', '[]'],
        [
          'label',
          400,
          deep,
          '{"labels":["a"],"labels":["b"]}',
          '{"labels":["a"],"__proto__":{}}',
          '{"labels":',
        ],
        ['plan', 422, '{"labels":["a"]}'],
        ['hide', 422, '{"reason":"spam"}'],
        ['decline', 422, '{"reason":7}'],
        ['decline', 400, '{"reason":"no","constructor":{}}'],
      ] as const)
        for (const body of bodies) {
          const reply = await sendBytes(moderator.caller, 'POST', `/issues/${id}/${action}`, body);
          assert.equal(reply.status, status, `${action} ${body} ${reply.text}`);
        }
      assert.equal(await rows(id), before);
      assert.equal((await ada.get(`issues/${id}`)).body.state, 'open');
    });

    it('an action of another role is refused; the answer lists the allowed actions', async () => {
      const [ada, bob, eve] = (await Person.several(target(), 3)) as [Person, Person, Person];
      const id = await ada.make('items', { title: 'Drill' });
      const one = `items/${id}`;
      assert.equal((await bob.post(`${one}/request`)).status, 200);
      const before = await rows(id);
      for (const action of ['lend', 'decline']) {
        const { status, body } = await bob.post(`${one}/${action}`, { due: '2026-12-24' });
        assert.deepEqual([status, body.code], [403, 'action_not_allowed'], action);
      }
      const early = await bob.post(`${one}/bring_back`);
      assert.deepEqual(
        [early.status, early.body.code, early.body.allowed],
        [409, 'invalid_transition', ['withdraw']],
      );
      for (const person of [ada, eve])
        assert.equal((await person.post(`${one}/withdraw`)).body.code, 'action_not_allowed');
      const again = await eve.post(`${one}/request`);
      assert.deepEqual([again.status, again.body.state, again.body.allowed], [409, 'requested', []]);
      const owners = await ada.post(`${one}/request`);
      assert.deepEqual([owners.status, owners.body.allowed], [409, ['lend', 'decline']]);
      assert.equal(await rows(id), before);
      assert.equal((await ada.post(`${one}/decline`)).status, 200);
      assert.equal((await ada.post(`${one}/request`)).body.code, 'action_not_allowed');
      for (const { status, body } of [await bob.patch(one, { title: 'Mine' }), await eve.delete(one)])
        assert.deepEqual([status, body.code], [403, 'role_required']);
    });
  });
