import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plainSql } from '../support/databases/plain-sql.ts';
import { EventStream } from '../support/http/event-stream.ts';
import { attackDeclarations } from '../support/people/attack-declarations.ts';
import { Person } from '../support/people/person.ts';
import { deployment } from '../support/services/deployment.ts';
import { databaseEngines } from '../support/services/service.ts';

/** The same collections with clients that reach every record. */
const declarations = {
  ...attackDeclarations,
  teams: String(attackDeclarations.teams).replace('delete: owner }', 'delete: owner, clients: any }'),
  items: String(attackDeclarations.items).replace('access:', 'access:\n  clients: any'),
};

for (const engine of databaseEngines)
  describe(`machine clients in collections for people, on ${engine}`, () => {
    const clients = { robot: ['read', 'write', 'jobs.dispatch'], plain: ['read', 'write'] };
    const target = deployment({ engine, declarations, clients });
    const members = (id: string) =>
      plainSql(target().service.settings).query(`select role from members where record_id = '${id}'`);

    it('an invitation code does not admit a machine client', async () => {
      const ada = await Person.of(target());
      const robot = new Person(await target().machine('robot'));
      for (const [collection, role] of Object.entries({ teams: 'member', clubs: 'owner' })) {
        const id = await ada.make(collection, { title: 'Us' });
        const code = await ada.codeFor(`${collection}/${id}`, { role });
        const { status } = await robot.post('invitations', { code });
        assert.ok(status === 403 || status === 404, `${collection} ${status}`);
        assert.deepEqual(await members(id), []);
        assert.deepEqual((await ada.get(`${collection}/${id}`)).body.roles, ['owner']);
        // The code is not used up.
        assert.equal((await (await Person.of(target())).post('invitations', { code })).status, 200);
      }
    });

    it('a machine client cannot invite, even to a record that it can read', async () => {
      const ada = await Person.of(target());
      const robot = new Person(await target().machine('robot'));
      const one = `teams/${await ada.make('teams', { title: 'Us' })}`;
      assert.equal((await robot.post(`${one}/invitations`, { role: 'member' })).status, 403);
    });

    it('a machine client gets no role by an action, whatever its scopes allow', async () => {
      const ada = await Person.of(target());
      const robot = new Person(await target().machine('robot'));
      const dispatcher = await Person.of(target(), { scope: 'read write jobs.dispatch' });
      const own = await robot.make('jobs', { title: 'Own' });
      assert.ok([403, 404].includes((await robot.post(`jobs/${own}/take`)).status));
      const job = await ada.make('jobs', { title: 'Drive' });
      assert.deepEqual((await robot.get(`jobs/${job}`)).body.actions, []);
      assert.equal((await robot.post(`jobs/${job}/take`)).body.code, 'action_not_allowed');
      const item = await ada.make('items', { title: 'Drill' });
      assert.ok([403, 404].includes((await robot.post(`items/${item}/request`)).status));
      for (const id of [own, job, item]) assert.deepEqual(await members(id), []);
      assert.equal((await dispatcher.post(`jobs/${job}/take`)).status, 200);
    });

    it('a machine client gets no events of records that only people can read', async () => {
      const ada = await Person.of(target());
      const robot = new Person(await target().machine('plain'));
      const stream = await EventStream.open(robot.caller, { query: '?collection=jobs' });
      const job = await ada.make('jobs', { title: 'Secret errand' });
      assert.equal((await ada.patch(`jobs/${job}`, { title: 'Errand' })).status, 200);
      const own = await robot.make('jobs', { title: 'Own' });
      await stream.until(() => JSON.stringify(stream.events).includes(own), 'no event of its own record');
      assert.equal((await robot.get(`jobs/${job}`)).status, 404);
      assert.ok(!stream.text.includes(job), stream.text);
      stream.close();
    });
  });
