import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventStream } from '../support/http/event-stream.ts';
import { attackDeclarations } from '../support/people/attack-declarations.ts';
import { Person } from '../support/people/person.ts';
import { deployment } from '../support/services/deployment.ts';
import { databaseEngines } from '../support/services/service.ts';

for (const engine of databaseEngines)
  describe(`event streams of people whose roles end, on ${engine}`, () => {
    // With PostgreSQL the stream is at another process than the writes.
    const processes = engine === 'sqlite' ? 1 : 2;
    const target = deployment({ engine, processes, declarations: attackDeclarations });
    const elsewhere = (person: Person) => person.at(target().serviceAt(1)).caller;
    const titles = (stream: EventStream) =>
      stream.events.flatMap(({ data }) => (data.data.fields as { title?: string } | undefined)?.title ?? []);

    /** A team of Ada, and Bob who is not yet a member. */
    const stage = async () => {
      const [ada, bob] = [await Person.of(target()), await Person.of(target())];
      const id = await ada.make('teams', { title: 'begun' });
      return { ada, bob, id, one: `teams/${id}` };
    };
    const rename = async (ada: Person, one: string, title: string) =>
      assert.equal((await ada.patch(one, { title })).status, 200);
    /** Waits for an event of Bob's own record, which comes after all earlier events. */
    const caughtUp = async (bob: Person, stream: EventStream) => {
      const own = await bob.make('lists', { title: 'Own' });
      await stream.until(() => JSON.stringify(stream.events).includes(own), 'it does not catch up');
    };

    it('a removed member gets no events after "left", not even after rejoining', async () => {
      const { ada, bob, one } = await stage();
      const stream = await EventStream.open(elsewhere(bob));
      const start = stream.lastId;
      await rename(ada, one, 'before bob');
      await ada.invites(one, 'member', bob);
      await rename(ada, one, 'with bob');
      const alias = await bob.aliasIn(one);
      assert.equal((await ada.delete(`${one}/members/${alias}`)).status, 204);
      await rename(ada, one, 'without bob');
      await caughtUp(bob, stream);
      const expected = ['teams.joined', 'teams.changed', 'teams.left', 'lists.created'];
      assert.deepEqual(stream.types, expected);
      assert.deepEqual(titles(stream), ['with bob']);
      stream.close();

      // From the beginning of the log, and from before the removal.
      for (const lastEventId of ['0', start, String(stream.events[0]?.id)]) {
        const again = await EventStream.open(elsewhere(bob), { lastEventId });
        await again.until(() => again.types.includes('lists.created'), 'the stream does not catch up');
        assert.ok(!again.text.includes('before bob') && !again.text.includes('without bob'), again.text);
        assert.equal(again.types.at(-1), 'lists.created');
        again.close();
      }

      // After rejoining the events in between stay hidden.
      await ada.invites(one, 'admin', bob);
      await rename(ada, one, 'with bob again');
      for (const lastEventId of ['0', start, stream.lastId]) {
        const rejoined = await EventStream.open(elsewhere(bob), { lastEventId });
        await rejoined.until(() => titles(rejoined).includes('with bob again'), 'nothing after rejoining');
        assert.ok(!/before bob|without bob/.test(rejoined.text), rejoined.text);
        rejoined.close();
      }
      let page = '';
      for (let after = Number(start), next = -1; after !== next; ) {
        const { body, reply } = await bob.get(`events?after=${after}`);
        [next, after] = [after, body.next];
        page += reply.text;
      }
      assert.ok(page.includes('with bob again') && !/before bob|without bob/.test(page), page);
    });

    it('one stream follows a change of role: it sends what the new role may read', async () => {
      const [ada, bob] = [await Person.of(target()), await Person.of(target())];
      const id = await ada.make('clubs', { title: 'begun' });
      const one = `clubs/${id}`;
      const stream = await EventStream.open(elsewhere(bob));
      await ada.invites(one, 'chair', bob);
      const demoted = await ada.patch(`${one}/members/${await bob.aliasIn(one)}`, { role: 'guest' });
      assert.equal(demoted.status, 204);
      await rename(ada, one, 'with a guest');
      assert.equal((await bob.delete(`${one}/members/me`)).status, 204);
      await rename(ada, one, 'alone');
      await caughtUp(bob, stream);
      const expected = ['joined', 'left', 'joined', 'changed', 'left'].map((name) => `clubs.${name}`);
      assert.deepEqual(stream.types, [...expected, 'lists.created']);
      assert.deepEqual(titles(stream), ['with a guest']);
      stream.close();
    });

    it('a former owner gets no events once its last role has ended', async () => {
      const [ada, bob] = [await Person.of(target()), await Person.of(target())];
      const one = `clubs/${await ada.make('clubs', { title: 'begun' })}`;
      const stream = await EventStream.open(elsewhere(ada));
      const code = await ada.codeFor(one, { role: 'owner' });
      assert.equal((await bob.post('invitations', { code })).status, 200);
      await rename(bob, one, 'of bob');
      assert.equal((await ada.delete(`${one}/members/me`)).status, 204);
      await rename(bob, one, 'private');
      await caughtUp(ada, stream);
      assert.equal(
        titles(stream)
          .filter((title) => title !== 'begun')
          .join(),
        'of bob',
      );
      assert.ok(!stream.text.includes('private'), stream.text);
      stream.close();
    });

    it('an event has no fields if the reader cannot read the new state', async () => {
      const [ada, bob] = [await Person.of(target()), await Person.of(target())];
      const id = await ada.make('papers', { text: 'first draft', shelf: 'top' });
      await ada.invites(`papers/${id}`, 'reviewer', bob);
      const stream = await EventStream.open(elsewhere(bob));
      await ada.patch(`papers/${id}`, { text: 'second draft' });
      await ada.post(`papers/${id}/hand_in`);
      await ada.post(`papers/${id}/take_back`);
      await ada.patch(`papers/${id}`, { text: 'third draft' });
      await caughtUp(bob, stream);
      // The event says that the paper was taken back, without its fields.
      assert.deepEqual(stream.types, ['papers.handed_in', 'papers.draft', 'lists.created']);
      assert.deepEqual(stream.events.map(({ data }) => 'fields' in data.data).slice(0, 2), [true, false]);
      assert.ok(!/first|third/.test(stream.text), stream.text);
      stream.close();
    });

    it('an erased member who returns gets no events of the record until it rejoins', async () => {
      const { ada, one } = await stage();
      const sub = `returning ${one}`;
      const bob = await Person.of(target(), { sub });
      const stream = await EventStream.open(elsewhere(bob));
      const start = stream.lastId;
      await ada.invites(one, 'member', bob);
      assert.equal((await bob.delete('me')).status, 200);
      await stream.ended();
      await rename(ada, one, 'after the erasure');
      const back = await Person.of(target(), { sub });
      for (const lastEventId of ['0', start]) {
        const again = await EventStream.open(elsewhere(back), { lastEventId });
        await caughtUp(back, again);
        await rename(ada, one, `live ${lastEventId}`);
        await caughtUp(back, again);
        assert.ok(!again.text.includes(one.slice(6)), again.text);
        again.close();
      }
      // After rejoining Bob gets new events only.
      await ada.invites(one, 'member', back);
      await rename(ada, one, 'together again');
      const rejoined = await EventStream.open(elsewhere(back), { lastEventId: '0' });
      await rejoined.until(() => titles(rejoined).length > 0, 'nothing after rejoining');
      assert.deepEqual(titles(rejoined), ['together again']);
      rejoined.close();
    });

    it('a removal stays in force after erasure of the owner who removed the member', async () => {
      const [ada, bob, cleo, dora] = (await Person.several(target(), 4)) as [Person, Person, Person, Person];
      const one = `clubs/${await ada.make('clubs', { title: 'begun' })}`;
      await ada.invites(one, 'guest', bob);
      const alias = await bob.aliasIn(one);
      const handOver = async (from: Person, to: Person) => {
        const code = await from.codeFor(one, { role: 'owner' });
        assert.equal((await to.post('invitations', { code })).status, 200);
      };
      await handOver(ada, cleo);
      assert.equal((await cleo.delete(`${one}/members/${alias}`)).status, 204);
      await handOver(cleo, dora);
      assert.equal((await cleo.delete('me')).status, 200);
      await rename(dora, one, 'private');
      const stream = await EventStream.open(elsewhere(bob), { lastEventId: '0' });
      await rename(dora, one, 'still private');
      await caughtUp(bob, stream);
      assert.ok(!stream.text.includes('private'), stream.text);
      stream.close();
    });

    it('losing the scope, expiry and suspension end or narrow the stream of a moderator', async () => {
      const ada = await Person.of(target());
      const sub = `moderator on ${engine}`;
      const scope = 'read write issues.moderate';
      const moderator = await Person.of(target(), { sub, scope });
      const stream = await EventStream.open(elsewhere(moderator));
      const id = await ada.make('issues', { title: 'Spam!', area: 'app' });
      assert.equal((await moderator.post(`issues/${id}/hide`)).status, 200);
      await stream.until(() => stream.types.includes('issues.hidden'), 'the moderator is not told');
      // A token without the scope gets no fields of hidden records, not even from the log.
      const person = await Person.of(target(), { sub });
      const fromStart = { lastEventId: '0', query: '?collection=issues,lists' };
      const without = await EventStream.open(elsewhere(person), fromStart);
      await caughtUp(person, without);
      const told = without.events.filter(({ data }) => data.data.id === id);
      const fields = told.map(({ type, data }) => `${type} ${'fields' in data.data}`);
      assert.deepEqual(fields, ['issues.created true', 'issues.hidden false']);
      without.close();
      // The token with the scope expires.
      await target().advance(601_000);
      await stream.ended();
      assert.equal(stream.reason, 'token_expired');
      // And another one is suspended.
      const other = await Person.of(target(), { sub, scope });
      const last = await EventStream.open(elsewhere(other));
      const { id: consumer } = (await other.get('me')).body;
      await target().command('consumer', 'suspend', consumer);
      await last.ended();
      assert.equal(last.reason, 'consumer_suspended');
    });
  });
