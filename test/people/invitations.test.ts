import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plainSql } from '../support/databases/plain-sql.ts';
import { bytesOf } from '../support/http/answers.ts';
import { type Reply, request } from '../support/http/request.ts';
import { attackDeclarations } from '../support/people/attack-declarations.ts';
import { Person } from '../support/people/person.ts';
import { until } from '../support/run/polling.ts';
import { atOnce, dayMs, deployment } from '../support/services/deployment.ts';
import { databaseEngines } from '../support/services/service.ts';
import { assertProofRefused, newDpopKey, proofBy } from '../support/tokens/dpop.ts';

const unknownCode = 'AAAAAAAAAAAAAAAAAAAAAA';

for (const engine of databaseEngines)
  describe(`invitation codes, on ${engine}`, () => {
    const processes = engine === 'sqlite' ? 1 : 2;
    const target = deployment({ engine, processes, declarations: attackDeclarations });
    const person = () => Person.of(target());
    const query = (sql: string) => plainSql(target().settings).query(sql);

    /** Refused with the same bytes as an unknown code. */
    const isInvalid = async (code: string, what: string, who?: Person) => {
      const stranger = who ?? (await person());
      for (const path of ['invitations', 'invitations/preview']) {
        const known = await stranger.post(path, { code });
        const unknown = await stranger.post(path, { code: unknownCode });
        assert.deepEqual([known.status, known.body.code], [404, 'invitation_invalid'], `${path}: ${what}`);
        assert.deepEqual(bytesOf(known.reply), bytesOf(unknown.reply), `${path}: ${what}`);
      }
    };

    it('a preview says what a code leads to, and uses up nothing', async () => {
      const [ada, bob] = [await person(), await person()];
      const one = `teams/${await ada.make('teams', { title: 'Us' })}`;
      const code = await ada.codeFor(one, { role: 'member' });
      const [{ expires_at }] = (await ada.get(`${one}/invitations`)).body.items;
      for (let times = 0; times < 3; times += 1) {
        const { status, body } = await bob.post('invitations/preview', { code });
        assert.deepEqual([status, body], [200, { collection: 'teams', role: 'member', expires_at }]);
      }
      assert.equal((await bob.get(one)).status, 404, 'a preview admits nobody');
      const machine = new Person(await target().machine('desk'));
      assert.equal((await machine.post('invitations/preview', { code })).body.code, 'role_required');
      assert.equal((await bob.post('invitations', { code })).status, 200);
      await isInvalid(code, 'used up');
    });

    it('a single-use code admits one of fifty simultaneous people', async () => {
      const ada = await person();
      const people = await Person.several(target(), 50);
      const one = `teams/${await ada.make('teams', { title: 'Us' })}`;
      const code = await ada.codeFor(one, { role: 'member' });
      const replies = await atOnce(50, (index) =>
        (people[index] as Person).at(target().serviceAt(index)).post('invitations', { code }),
      );
      const refused = replies.filter(({ status }) => status !== 200);
      assert.equal(refused.length, 49);
      const bytes = new Set(refused.map(({ reply }) => JSON.stringify(bytesOf(reply))));
      assert.deepEqual([refused[0]?.body.code, bytes.size], ['invitation_invalid', 1]);
      assert.equal((await ada.get(`${one}/members`)).body.items.length, 2);
      await isInvalid(code, 'used up');
      // One person uses a multi-use code several times.
      const several = await ada.codeFor(one, { role: 'member', uses: 30 });
      const bob = people[7] as Person;
      const twice = await atOnce(5, (index) =>
        bob.at(target().serviceAt(index)).post('invitations', { code: several }),
      );
      const statuses = twice.map(({ status }) => status).sort();
      assert.ok(statuses.filter((status) => status === 200).length <= 1, String(statuses));
      const rows = await query(
        `select count(*) as count from members where record_id = '${one.slice(6)}' group by member`,
      );
      assert.deepEqual([...new Set(rows.map(({ count }) => Number(count)))], [1]);
    });

    it('a code is invalid once it or its record is deleted or its inviter erased', async () => {
      const ada = await person();
      const one = `teams/${await ada.make('teams', { title: 'Us' })}`;
      const ended = await ada.codeFor(one, { role: 'member', uses: 9 });
      const { items } = (await ada.get(`${one}/invitations`)).body;
      assert.equal((await ada.delete(`${one}/invitations/${items[0].id}`)).status, 204);
      assert.equal((await ada.delete(`${one}/invitations/${items[0].id}`)).status, 404);
      await isInvalid(ended, 'ended');
      const ofDeleted = await ada.codeFor(one, { role: 'admin' });
      assert.equal((await ada.delete(one)).status, 204);
      await isInvalid(ofDeleted, 'of a deleted record');
      const two = `lists/${await ada.make('lists', { title: 'Ours' })}`;
      const bob = await person();
      await ada.invites(two, 'member', bob);
      const bobs = await bob.codeFor(two, { role: 'member' });
      const adas = await ada.codeFor(two, { role: 'member' });
      assert.equal((await bob.delete('me')).status, 200);
      await isInvalid(bobs, 'of an erased member');
      await isInvalid(unknownCode.slice(1), 'no code at all');
      assert.equal((await (await person()).post('invitations', { code: adas })).status, 200);
      const ofErased = await ada.codeFor(two, { role: 'member' });
      assert.equal((await ada.delete('me')).status, 200);
      await isInvalid(ofErased, 'of an erased owner');
      const kept = `select id from invitations where record_id in ('${one.slice(6)}', '${two.slice(6)}')`;
      assert.deepEqual(await query(kept), []);
    });

    it('all codes of a record end when a member is removed or loses a role', async () => {
      const [ada, bob, cleo] = (await Person.several(target(), 3)) as [Person, Person, Person];
      const one = `clubs/${await ada.make('clubs', { title: 'Chess' })}`;
      await ada.invites(one, 'chair', bob, cleo);
      const bobs = await bob.codeFor(one, { role: 'chair', uses: 30, expires_in: '30d' });
      const alias = await bob.aliasIn(one);
      // Cleo is made a guest, and would come back as a chair with a code that she had made.
      const cleos = await cleo.codeFor(one, { role: 'chair' });
      const demoted = await ada.patch(`${one}/members/${await cleo.aliasIn(one)}`, { role: 'guest' });
      assert.equal(demoted.status, 204);
      assert.equal((await cleo.delete(`${one}/members/me`)).status, 204);
      await isInvalid(cleos, 'of a demoted member', cleo);
      await isInvalid(bobs, 'of another member at that time');
      const again = await bob.codeFor(one, { role: 'guest', uses: 30, expires_in: '30d' });
      const adas = await ada.codeFor(one, { role: 'guest' });
      assert.equal((await ada.delete(`${one}/members/${alias}`)).status, 204);
      await isInvalid(again, 'of a removed member', bob);
      await isInvalid(adas, 'of the owner at that time');
      assert.equal((await bob.get(one)).status, 404);
      assert.deepEqual((await ada.get(`${one}/invitations`)).body.items, []);
    });

    it('the codes of a member who leaves end, and no others', async () => {
      const [ada, bob] = [await person(), await person()];
      const one = `lists/${await ada.make('lists', { title: 'Ours' })}`;
      await ada.invites(one, 'member', bob);
      const bobs = await bob.codeFor(one, { role: 'member', uses: 30, expires_in: '30d' });
      const adas = await ada.codeFor(one, { role: 'member' });
      assert.equal((await bob.delete(`${one}/members/me`)).status, 204);
      await isInvalid(bobs, 'of a member who has left', bob);
      assert.equal((await (await person()).post('invitations', { code: adas })).status, 200);
    });

    it('the codes of a suspended person admit people again when it is resumed', async () => {
      const [ada, bob] = [await person(), await person()];
      const one = `lists/${await ada.make('lists', { title: 'Ours' })}`;
      await ada.invites(one, 'member', bob);
      const bobs = await bob.codeFor(one, { role: 'member', uses: 9 });
      const adas = await ada.codeFor(one, { role: 'member', uses: 9 });
      const owners = await ada.codeFor(one, { role: 'owner' });
      const [{ id: member }, { id: owner }] = [(await bob.get('me')).body, (await ada.get('me')).body];
      const command = (verb: string, id: string) => target().command('consumer', verb, id);
      await command('suspend', member);
      await isInvalid(bobs, 'of a suspended member');
      assert.equal((await (await person()).post('invitations', { code: adas })).status, 200);
      await command('suspend', owner);
      for (const code of [adas, owners]) await isInvalid(code, 'of a suspended owner');
      for (const id of [member, owner]) await command('resume', id);
      for (const code of [bobs, adas, owners])
        assert.equal((await (await person()).post('invitations', { code })).status, 200);
    });

    it('a hand-over ends all codes, so the former owner cannot take the record back', async () => {
      const [ada, bob] = [await person(), await person()];
      const one = `clubs/${await ada.make('clubs', { title: 'Chess' })}`;
      const first = await ada.codeFor(one, { role: 'owner', uses: 5 });
      const second = await ada.codeFor(one, { role: 'owner' });
      const third = await ada.codeFor(one, { role: 'chair', uses: 5 });
      const { status, body } = await bob.post('invitations', { code: first });
      assert.deepEqual([status, body.role, body.record.roles], [200, 'owner', ['owner']]);
      assert.deepEqual((await ada.get(one)).body.roles, ['guest']);
      for (const code of [first, second, third]) {
        await target().nextWindow(60_000);
        await isInvalid(code, 'of a former owner', ada);
      }
      assert.equal((await ada.delete(one)).status, 403);
      assert.equal((await ada.post(`${one}/invitations`, { role: 'owner' })).status, 403);
    });

    it('ten wrong codes a minute are allowed; the rate limit hits only the guessing caller', async () => {
      const [ada, bob, ...guessers] = (await Person.several(target(), 6)) as [Person, Person, ...Person[]];
      const one = `teams/${await ada.make('teams', { title: 'Us' })}`;
      const code = await ada.codeFor(one, { role: 'member', uses: 9 });
      await target().nextWindow(60_000);
      for (const guesser of guessers) {
        const replies: Reply[] = [];
        for (let guess = 0; guess < 12; guess += 1) {
          const wrong =
            guess % 3 === 0 ? 'short' : `${unknownCode.slice(2)}${String(guess).padStart(2, '0')}`;
          // A preview counts as well.
          const path = guess % 2 === 0 ? 'invitations' : 'invitations/preview';
          replies.push((await guesser.post(path, { code: wrong })).reply);
        }
        const statuses = replies.map(({ status }) => status);
        assert.deepEqual(statuses, [...Array(10).fill(404), 429, 429]);
        const bytes = new Set(replies.slice(0, 10).map((reply) => JSON.stringify(bytesOf(reply))));
        assert.equal(bytes.size, 1);
        // A right code does not help either, nor does guessing at once.
        for (const path of ['invitations', 'invitations/preview'])
          assert.equal((await guesser.post(path, { code })).status, 429);
      }
      const many = await atOnce(40, () => bob.post('invitations', { code: unknownCode }));
      assert.equal(many.filter(({ status }) => status === 404).length, 10);
      const cleo = await person();
      assert.equal((await cleo.post('invitations', { code })).status, 200);
    });

    it('a member can invite and change only the roles that the declaration allows', async () => {
      const [ada, eve, ...members] = (await Person.several(target(), 5)) as [Person, Person, ...Person[]];
      const [admin, second, member] = members as [Person, Person, Person];
      const one = `teams/${await ada.make('teams', { title: 'Us' })}`;
      await ada.invites(one, 'admin', admin, second);
      await admin.invites(one, 'member', member);
      const aliases = {
        second: await second.aliasIn(one),
        ada: await ada.aliasIn(one),
        admin: await admin.aliasIn(one),
        member: await member.aliasIn(one),
      };
      const refused = async (who: Person, method: string, path: string, body?: object, expected = 403) => {
        const { status, body: problem } = await who.send(method, `${one}/${path}`, body);
        const code = { 403: 'role_required', 404: 'not_found', 422: 'validation_failed' }[expected];
        const what = `${method} ${path} ${JSON.stringify(body)}`;
        assert.deepEqual([status, problem.code], [expected, code], what);
      };
      await refused(member, 'POST', 'invitations', { role: 'member' });
      await refused(member, 'POST', 'invitations', { role: 'admin' });
      await refused(member, 'GET', 'invitations');
      await refused(admin, 'POST', 'invitations', { role: 'admin' });
      for (const role of ['owner', 'everyone', 'client', 'me', '', null, ['admin'], 'toString'])
        await refused(ada, 'POST', 'invitations', { role }, 422);
      for (const who of [admin, member]) {
        await refused(who, 'PATCH', `members/${aliases.ada}`, { role: 'member' });
        await refused(who, 'DELETE', `members/${aliases.ada}`);
        await refused(who, 'PATCH', `members/${aliases.admin}`, { role: 'member' });
      }
      await refused(member, 'PATCH', `members/${aliases.member}`, { role: 'admin' });
      await refused(admin, 'PATCH', `members/${aliases.member}`, { role: 'admin' });
      await refused(member, 'DELETE', `members/${aliases.admin}`);
      await refused(admin, 'DELETE', `members/${aliases.admin}`);
      // Another admin: who may invite to the new role, and not to the former one.
      await refused(admin, 'PATCH', `members/${aliases.second}`, { role: 'member' });
      await refused(admin, 'DELETE', `members/${aliases.second}`);
      const { id: ofAdmins } = (await ada.post(`${one}/invitations`, { role: 'admin' })).body;
      await refused(member, 'DELETE', `invitations/${ofAdmins}`);
      await refused(admin, 'DELETE', `invitations/${ofAdmins}`, undefined, 404);
      await refused(ada, 'PATCH', `members/${aliases.admin}`, { role: 'owner' }, 422);
      await refused(ada, 'PATCH', `members/${aliases.ada}`, { role: 'admin' });
      await refused(ada, 'DELETE', 'members/me', undefined, 404);
      await refused(ada, 'PATCH', 'members/me', { role: 'admin' }, 404);
      for (const alias of [`per_${unknownCode}`, 'nobody', aliases.member.toLowerCase(), 'usr_1'])
        await refused(ada, 'DELETE', `members/${alias}`, undefined, 404);
      await refused(eve, 'DELETE', `members/${aliases.member}`, undefined, 404);
      const roles = (await ada.get(`${one}/members`)).body.items.map(({ role }: { role: string }) => role);
      assert.deepEqual(roles.sort(), ['admin', 'admin', 'member', 'owner']);
      // A chair may invite to both roles, and does not change its own.
      const club = `clubs/${await ada.make('clubs', { title: 'Chess' })}`;
      await ada.invites(club, 'chair', admin);
      const self = await admin.patch(`${club}/members/${await admin.aliasIn(club)}`, { role: 'guest' });
      assert.deepEqual([self.status, self.body.code], [403, 'role_required']);
    });

    it('a refused request uses up its DPoP proof, so a replay admits no member', async () => {
      const ada = await person();
      const one = `teams/${await ada.make('teams', { title: 'Us' })}`;
      const code = await ada.codeFor(one, { role: 'member' });
      const { provider, settings } = target();
      const key = newDpopKey();
      const token = await provider.token({ sub: `bound on ${engine}`, cnf: { jkt: key.thumbprint } });
      const path = '/api/consumer/v1/invitations';
      const claims = { iat: Math.floor(target().now() / 1000) };
      const proof = proofBy(key, { method: 'POST', url: `${settings.BASE_URL}${path}`, token }, { claims });
      const send = (index: number, body: object) =>
        request(`${target().serviceAt(index).url}${path}`, {
          method: 'POST',
          headers: { authorization: `DPoP ${token}`, dpop: proof, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
      assert.equal((await send(0, { code, extra: true })).status, 422);
      const isNoted = async () => (await query('select digest from proofs')).length > 0;
      await until(isNoted, Boolean, 'the proof is not noted');
      assertProofRefused(await send(1, { code }), 'proof_replayed', null);
      assert.equal((await ada.get(`${one}/members`)).body.items.length, 1);
    });

    it('a token without a subject gets subject_required', async () => {
      const nobody = await Person.of(target(), { sub: undefined });
      const { status, body } = await nobody.post('invitations', { code: unknownCode });
      assert.deepEqual([status, body.code], [403, 'subject_required']);
    });

    it('the answer to an invitation shows the stored expiry', async () => {
      const ada = await person();
      const one = `teams/${await ada.make('teams', { title: 'Us' })}`;
      const made = await atOnce(40, () => ada.post(`${one}/invitations`, { role: 'member' }));
      const { items } = (await ada.get(`${one}/invitations`)).body;
      const expiries = (of: readonly { id: string; expires_at: string }[]) =>
        Object.fromEntries(of.map(({ id, expires_at: at }) => [id, at]));
      assert.equal(items.length, made.length);
      assert.deepEqual(expiries(items), expiries(made.map(({ body }) => body)));
    });

    it('an expired code admits no member', async () => {
      const ada = await person();
      const one = `teams/${await ada.make('teams', { title: 'Us' })}`;
      const { code, id } = (await ada.post(`${one}/invitations`, { role: 'member', expires_in: '1d' })).body;
      await target().advance(dayMs);
      const [later, eve] = [await Person.of(target()), await person()];
      await isInvalid(code, 'expired', eve);
      assert.equal((await later.delete(`${one}/invitations/${id}`)).status, 404);
    });
  });
