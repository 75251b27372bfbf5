import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plainSql } from '../support/databases/plain-sql.ts';
import { attackDeclarations } from '../support/people/attack-declarations.ts';
import { Person } from '../support/people/person.ts';
import { atOnce, dayMs, deployment } from '../support/services/deployment.ts';
import { databaseEngines } from '../support/services/service.ts';

const declarations = {
  ...attackDeclarations,
  /** A newcomer has three writes a day, of any kind. */
  groups: `
title: Groups
schema:
  required: [title]
  properties: { title: { type: string, maxLength: 60 } }
roles:
  member: { invited_by: [owner, member], max: 50 }
access: { read: [owner, member], update: [owner, member], delete: owner }
limits: { writes: 10000/min, newcomer: 3/day for 3d }
`,
  tools: String(attackDeclarations.items).replace(
    /^limits:.*$/m,
    'limits: { per_user: 2, writes: 10000/min, newcomer: 3/day for 3d }',
  ),
};

for (const engine of databaseEngines)
  describe(`limits against several people acting together, on ${engine}`, () => {
    const target = deployment({ engine, processes: engine === 'sqlite' ? 1 : 2, declarations });
    const person = () => Person.of(target());
    const count = async (sql: string) =>
      Number((await plainSql(target().settings).query(`select count(*) as count from ${sql}`))[0]?.count);

    it('100 simultaneous actions give a person at most "max_per_user" roles', async () => {
      const [ada, bob] = [await person(), await person()];
      const ids = await atOnce(100, () => ada.make('items', { title: 'Thing' }));
      const replies = await atOnce(100, (index) =>
        bob.at(target().serviceAt(index)).post(`items/${ids[index]}/request`),
      );
      assert.equal(replies.filter(({ status }) => status === 200).length, 5);
      const refused = replies.filter(({ status }) => status !== 200);
      assert.deepEqual([...new Set(refused.map(({ body }) => body.code))], ['quota_exceeded']);
      assert.equal((await bob.get('items?role=borrower')).body.items.length, 5);
      const taken = `('${ids.join("','")}')`;
      assert.equal(await count(`members where record_id in ${taken}`), 5);
      assert.equal(await count(`records where state = 'requested' and id in ${taken}`), 5);
    });

    it('invitations admit no more members than a record or a person may have', async () => {
      const ada = await person();
      const one = `clubs/${await ada.make('clubs', { title: 'Chess' })}`;
      const code = await ada.codeFor(one, { role: 'guest', uses: 50 });
      const people = await Person.several(target(), 12);
      const replies = await atOnce(12, (index) =>
        (people[index] as Person).at(target().serviceAt(index)).post('invitations', { code }),
      );
      assert.equal(replies.filter(({ status }) => status === 200).length, 5);
      assert.ok(replies.every(({ status, body }) => status === 200 || body.code === 'role_full'));
      assert.equal((await ada.get(`${one}/invitations`)).body.items[0].uses_left, 45);
      // A person may be in three clubs.
      const bob = await person();
      const codes: string[] = [];
      for (const owner of await Person.several(target(), 8)) {
        const club = await owner.make('clubs', { title: 'Go' });
        codes.push(await owner.codeFor(`clubs/${club}`, { role: codes.length % 2 ? 'chair' : 'guest' }));
      }
      const joined = await atOnce(8, (index) =>
        bob.at(target().serviceAt(index)).post('invitations', { code: codes[index] }),
      );
      assert.equal(joined.filter(({ status }) => status === 200).length, 3);
      assert.ok(joined.every(({ status, body }) => status === 200 || body.code === 'quota_exceeded'));
    });

    it('a hand-over is refused if the former owner would be one member too many', async () => {
      const [ada, eve, ...guests] = (await Person.several(target(), 7)) as [Person, Person, ...Person[]];
      const one = `clubs/${await ada.make('clubs', { title: 'Chess' })}`;
      await ada.invites(one, 'guest', ...guests);
      const code = await ada.codeFor(one, { role: 'owner', uses: 2 });
      const refused = await eve.post('invitations', { code });
      assert.deepEqual([refused.status, refused.body.code], [409, 'role_full']);
      // A guest who becomes the owner makes room.
      assert.equal((await (guests[0] as Person).post('invitations', { code })).status, 200);
      assert.equal((await ada.get(`${one}/members`)).body.items.length, 6);
    });

    it('a record has at most 100 open invitations', async () => {
      const ada = await person();
      const one = `teams/${await ada.make('teams', { title: 'Us' })}`;
      const made: number[] = [];
      while (made.length < 102) made.push((await ada.post(`${one}/invitations`, { role: 'member' })).status);
      assert.deepEqual(made, [...Array(100).fill(201), 409, 409]);
      const { items } = (await ada.get(`${one}/invitations`)).body;
      assert.equal(items.length, 100);
      assert.equal((await ada.delete(`${one}/invitations/${items[0].id}`)).status, 204);
      await ada.codeFor(one, { role: 'member' });
    });

    it('a transferred record counts for the new owner, who cannot exceed its quota', async () => {
      const [ada, bob] = [await person(), await person()];
      const ids = [await ada.make('clubs', { title: 'One' }), await ada.make('clubs', { title: 'Two' })];
      assert.equal((await ada.post('clubs', { title: 'Three' })).body.code, 'quota_exceeded');
      const codes: string[] = [];
      for (const id of ids) codes.push(await ada.codeFor(`clubs/${id}`, { role: 'owner' }));
      await bob.make('clubs', { title: 'Own' });
      const taken = await atOnce(2, (index) =>
        bob.at(target().serviceAt(index)).post('invitations', { code: codes[index] }),
      );
      assert.deepEqual(taken.map(({ status }) => status).sort(), [200, 409]);
      assert.equal((await bob.caller.usage('clubs')).records.used, 2);
      assert.equal((await ada.caller.usage('clubs')).records.used, 1);
      assert.equal((await bob.post('clubs', { title: 'More' })).body.code, 'quota_exceeded');
      await ada.make('clubs', { title: 'Again' });
      assert.equal((await ada.caller.usage('clubs')).records.used, 2);
    });

    it('accepting, inviting and acting spend the budget of a newcomer', async () => {
      const sub = 'somebody who is here for long';
      const before = await Person.of(target(), { sub });
      const two = async (name: string) => [
        await before.make(name, { title: 'A' }),
        await before.make(name, { title: 'B' }),
      ];
      const [groups, tools] = [await two('groups'), await two('tools')];
      await target().advance(3 * dayMs);
      const [ada, newcomer] = [await Person.of(target(), { sub }), await person()];
      const codes: string[] = [];
      for (const id of groups) codes.push(await ada.codeFor(`groups/${id}`, { role: 'member' }));
      assert.equal((await newcomer.post('invitations', { code: codes[0] })).status, 200);
      assert.equal((await newcomer.post(`groups/${groups[0]}/invitations`, { role: 'member' })).status, 201);
      assert.equal((await newcomer.patch(`groups/${groups[0]}`, { title: 'C' })).status, 200);
      for (const refused of [
        await newcomer.post('invitations', { code: codes[1] }),
        await newcomer.post(`groups/${groups[0]}/invitations`, { role: 'member' }),
        await newcomer.delete(`groups/${groups[0]}/members/me`),
        await newcomer.post('groups', { title: 'D' }),
      ])
        assert.deepEqual([refused.status, refused.body.code], [429, 'newcomer_budget_spent']);
      assert.equal((await newcomer.post(`tools/${tools[0]}/request`)).status, 200);
      assert.equal((await newcomer.post(`tools/${tools[0]}/withdraw`)).status, 200);
      assert.equal((await newcomer.post(`tools/${tools[1]}/request`)).status, 200);
      const refused = await newcomer.post(`tools/${tools[1]}/withdraw`);
      assert.deepEqual([refused.status, refused.body.code], [429, 'newcomer_budget_spent']);
    });
  });
