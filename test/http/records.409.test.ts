import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { assertProblem, assertProblemWith, bytesOf } from '../support/http/answers.ts';
import type { ApiCaller, WireRecord } from '../support/http/api-caller.ts';
import { sampleDeclarations } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';
import { someEngine } from '../support/services/service.ts';
import { idsOf, type Page } from './page.ts';

const fields = { slot: '2026-05-01T10:00:00.000Z', seats: 2 };

type Asked = readonly [method: string, action: string, body?: object, headers?: Record<string, string>];

/** The requests about one parcel. */
const parcelVerbs: readonly Asked[] = [
  ['GET', ''],
  ['PUT', '', { label: 'y' }],
  ['PATCH', '', { label: 'y' }, { 'if-match': '*' }],
  ['DELETE', ''],
  ['POST', '/send'],
  ['POST', '/lose'],
];

for (const engine of someEngine)
  describe(`states and machine clients, on ${engine}`, () => {
    const declared = deployment({ engine, declarations: sampleDeclarations, clients: { desk: [] } });
    const act = (caller: ApiCaller, { id }: WireRecord, action: string, collection = 'bookings') =>
      caller.send('POST', `/${collection}/${id}/${action}`);
    /** State and actions as a caller sees them. */
    const seen = async (caller: ApiCaller, { id }: WireRecord, collection = 'bookings') => {
      const { state, actions } = (await caller.get(`/${collection}/${id}`)).json<WireRecord>();
      return [state, actions];
    };
    const parties = async () => {
      const person = await declared().person();
      const desk = await declared().machine('desk');
      return { person, desk, record: (await person.make('bookings', fields)).record };
    };

    it('owner and machine client move a record through its states and each see their actions', async () => {
      const { person, desk, record } = await parties();
      assert.deepEqual(await seen(person, record), ['draft', ['submit', 'cancel']]);
      assert.deepEqual(await seen(desk, record), ['draft', []]);

      const submitted = await act(person, record, 'submit');
      assert.equal(submitted.status, 200, submitted.text);
      const { updated_at: _, ...rest } = submitted.json<WireRecord>();
      const { updated_at: _before, ...before } = record;
      assert.deepEqual(rest, { ...before, state: 'submitted', actions: ['cancel'] });
      assert.deepEqual(await seen(person, record), ['submitted', ['cancel']]);
      assert.deepEqual(await seen(desk, record), ['submitted', ['approve', 'cancel']]);

      const approved = await act(desk, record, 'approve');
      const moved = [approved.status, approved.json().state, approved.json().actions];
      assert.deepEqual(moved, [200, 'approved', []]);
      assert.deepEqual(await seen(person, record), ['approved', ['cancel']]);

      const cancelled = await act(person, record, 'cancel');
      assert.deepEqual([cancelled.status, cancelled.json().actions], [200, []]);
      assert.deepEqual(await seen(desk, record), ['cancelled', []]);
    });

    it('every action changes the ETag and honours If-Match', async () => {
      const { person, desk, record } = await parties();
      const etags = new Set<unknown>();
      const path = `/bookings/${record.id}`;
      let etag = String((await person.get(path)).headers.get('etag'));
      for (const [caller, action] of [
        [person, 'submit'],
        [desk, 'approve'],
        [person, 'cancel'],
      ] as const) {
        etags.add(etag);
        const wrong = await caller.send('POST', `${path}/${action}`, undefined, { 'if-match': '"other"' });
        assert.equal(wrong.status, 412);
        const reply = await caller.send('POST', `${path}/${action}`, undefined, { 'if-match': etag });
        assert.equal(reply.status, 200, reply.text);
        etag = String(reply.headers.get('etag'));
        assert.equal((await person.get(path)).headers.get('etag'), etag);
      }
      assert.equal(etags.add(etag).size, 4);
    });

    it('an action of another role is 403 with the state and the actions that the caller sees', async () => {
      const { person, desk, record } = await parties();
      const refused = async (caller: ApiCaller, action: string) => {
        const [state, allowed] = await seen(caller, record);
        assertProblemWith(await act(caller, record, action), 'action_not_allowed', { state, allowed });
      };
      await refused(desk, 'submit');
      await refused(desk, 'cancel');
      await act(person, record, 'submit');
      await refused(person, 'approve');
      assert.deepEqual(await seen(person, record), ['submitted', ['cancel']]);
      const withdrawn = await act(desk, record, 'cancel');
      assert.equal(withdrawn.json().state, 'cancelled', 'what anybody may, both may');
    });

    it('an action that the state does not have is 409 with the state and allowed actions', async () => {
      const { person, desk, record } = await parties();
      const refused = async (
        caller: ApiCaller,
        action: string,
        state: string,
        allowed: readonly string[],
      ) => {
        const reply = await act(caller, record, action);
        assertProblemWith(reply, 'invalid_transition', { state, allowed }, action);
      };
      await refused(person, 'approve', 'draft', ['submit', 'cancel']);
      await refused(desk, 'approve', 'draft', []);
      await act(person, record, 'submit');
      await refused(person, 'submit', 'submitted', ['cancel']);
      await refused(desk, 'submit', 'submitted', ['approve', 'cancel']);
      await act(desk, record, 'approve');
      await refused(desk, 'approve', 'approved', []);
      await act(person, record, 'cancel');
      for (const action of ['submit', 'approve', 'cancel']) await refused(person, action, 'cancelled', []);
      assertProblem(await act(person, record, 'unknown'), 'not_found');
      assertProblem(await act(person, record, 'draft'), 'not_found');
      assertProblem(await act(person, record, '__proto__'), 'not_found');
    });

    it('fields can be changed in editable states only; otherwise 409', async () => {
      const { person, desk, record } = await parties();
      const path = `/bookings/${record.id}`;
      for (const caller of [person, desk]) {
        assert.equal((await caller.send('PATCH', path, { seats: 3 })).status, 200);
        assert.equal((await caller.send('PUT', path, fields)).status, 200);
      }
      await act(person, record, 'submit');
      const before = (await person.get(path)).text;
      for (const caller of [person, desk])
        for (const [method, body] of [
          ['PUT', fields],
          ['PATCH', {}],
          ['PATCH', { seats: 3 }],
        ] as const) {
          const reply = await caller.send(method, path, body);
          assertProblemWith(reply, 'not_editable', { state: 'submitted', allowed: ['draft'] }, method);
        }

      assert.equal((await person.get(path)).text, before);
      assert.equal((await person.send('DELETE', path)).status, 204, 'it can be deleted in any state');
    });

    it('a client with access to all records edits and deletes them, and ownership stays', async () => {
      const { person, desk, record } = await parties();
      const path = `/bookings/${record.id}`;
      const edited = await desk.send('PATCH', path, { seats: 7 });
      assert.deepEqual([edited.status, edited.json().seats], [200, 7]);
      const read = (await person.get(path)).json<WireRecord>();
      assert.deepEqual([read.seats, read.actions], [7, ['submit', 'cancel']]);
      assert.equal((await person.usage('bookings')).records.used, 1);
      assert.equal((await desk.send('DELETE', path)).status, 204);
      assertProblem(await person.get(path), 'not_found');
      assert.equal((await person.usage('bookings')).records.used, 0, 'the owner has room again');
    });

    it('a machine client owns the records it creates', async () => {
      const desk = await declared().machine('desk');
      const person = await declared().person();
      const { record } = await desk.make('bookings', fields);
      assert.deepEqual(record.actions, ['submit', 'cancel']);
      assertProblem(await person.get(`/bookings/${record.id}`), 'not_found');
      assert.equal((await act(desk, record, 'submit')).status, 200);
      const both = await seen(desk, record);
      assert.deepEqual(both, ['submitted', ['approve', 'cancel']], 'owner and client at once');
      assert.equal((await act(desk, record, 'approve')).status, 200);
    });

    it('with "clients: own", clients and people see only their own records', async () => {
      const desk = await declared().machine('desk');
      const person = await declared().person();
      const parcels = async (caller: ApiCaller) => (await caller.make('parcels', { label: 'x' })).record;
      const [ofDesk, ofPerson] = [await parcels(desk), await parcels(person)];
      assert.deepEqual(ofDesk.actions, ['send', 'keep', 'lose']);
      assert.deepEqual(ofPerson.actions, ['keep', 'lose']);
      assert.ok((await desk.all('parcels')).every(({ id }) => id !== ofPerson.id));
      assert.deepEqual(await person.all('parcels'), [ofPerson]);
      assertProblem(await act(desk, ofPerson, 'lose', 'parcels'), 'not_found');
      assertProblem(await act(person, ofDesk, 'lose', 'parcels'), 'not_found');
      const sent = await act(person, ofPerson, 'send', 'parcels');
      assertProblemWith(sent, 'action_not_allowed', { state: 'packed', allowed: ['keep', 'lose'] });
      assert.equal((await act(desk, ofDesk, 'send', 'parcels')).json().state, 'sent');
      assert.equal((await act(person, ofPerson, 'lose', 'parcels')).json().state, 'lost');
    });

    it('[D111] with "clients: own", foreign records give the same bytes as missing ones', async () => {
      const person = await declared().person();
      const ask = (caller: ApiCaller, id: string, [method, action, body, headers]: Asked) =>
        caller.send(method, `/parcels/${id}${action}`, body, headers);
      const callers = [person, await declared().person(), await declared().machine('desk')];
      for (const owner of callers) {
        const { record } = await owner.make('parcels', { label: 'x' });
        for (const other of callers.filter((caller) => caller !== owner))
          for (const verb of parcelVerbs) {
            const there = await ask(other, record.id, verb);
            const missing = await ask(other, randomUUID(), verb);
            assert.deepEqual(bytesOf(there), bytesOf(missing), JSON.stringify(verb));
          }

        assert.deepEqual((await owner.get(`/parcels/${record.id}`)).json(), record);
      }
    });

    it('a machine client lists all records by one field or by state', async () => {
      const slot = '2042-01-01T00:00:00.000Z';
      const owners = [await declared().person(), await declared().person()];
      const made: WireRecord[] = [];
      for (const owner of owners) made.push((await owner.make('bookings', { slot, seats: 1 })).record);
      const desk = await declared().machine('desk');
      for (const query of [
        '',
        '?state=draft',
        `?slot=${slot}`,
        '?slot[gt]=2041-01-01T00:00:00Z&slot[lt]=2043-01-01T00:00:00Z&sort=slot',
        `?created_at[gte]=${made[0]?.created_at}&state=draft`,
      ]) {
        const found = await desk.get(`/bookings${query}`);
        assert.equal(found.status, 200, `${query} ${found.text}`);
        const { items } = found.json<Page>();
        const ofTheDay = items.filter((item) => item.slot === slot);
        assert.deepEqual(idsOf(ofTheDay).toSorted(), idsOf(made).toSorted(), query);
        if (query.includes('slot')) assert.equal(items.length, made.length, query);
        if (query.includes('state'))
          assert.ok(
            items.every(({ state }) => state === 'draft'),
            query,
          );
      }
      for (const [index, owner] of owners.entries()) {
        const found = await owner.get(`/bookings?slot=${slot}&state=draft&sort=-slot`);
        const ids = idsOf(found.json<Page>().items);
        assert.deepEqual(ids, [made[index]?.id], 'an owner by all of them at once');
      }
    });

    it('in a list of all records, filters without a common index are 400, and both are named', async () => {
      const desk = await declared().machine('desk');
      const slot = '2042-01-01T00:00:00.000Z';
      const wrong: Record<string, readonly [parameter: string, says: RegExp]> = {
        [`?slot=${slot}&state=draft`]: [
          'state',
          /^"state" and "slot" cannot be combined: .*"state" only .*sorted by "created_at"/,
        ],
        [`?slot=${slot}&sort=created_at`]: [
          'slot',
          /^"slot" and "created_at" cannot be combined: .*only by the field that it is sorted by/,
        ],
        [`?slot=${slot}&created_at[gt]=2026-01-01T00:00:00Z`]: [
          'created_at',
          /^"created_at" and "slot" cannot be combined/,
        ],
        '?state=draft&sort=slot': ['state', /^"state" and "slot" cannot be combined/],
      };
      for (const [query, [parameter, says]] of Object.entries(wrong)) {
        const reply = await desk.get(`/bookings${query}`);
        const problem = reply.json<Record<string, unknown>>();
        assert.deepEqual(
          [reply.status, problem.code, problem.parameter],
          [400, 'query_invalid', parameter],
          query,
        );
        assert.match(String(problem.detail), says);
        assert.doesNotMatch(String(problem.detail), /2042|draft/, 'names, and nothing of what was asked for');
      }
    });

    it("the owner's record count stays right while a client deletes and the owner creates", async () => {
      const person = await declared().person();
      const desk = await declared().machine('desk');
      const made = await Promise.all(Array.from({ length: 10 }, () => person.make('bookings', fields)));
      const statuses = await Promise.all([
        ...made.map(async ({ record }) => (await desk.send('DELETE', `/bookings/${record.id}`)).status),
        ...made.map(async () => (await person.send('POST', '/bookings', fields)).status),
      ]);
      assert.deepEqual([...new Set(statuses)].toSorted(), [201, 204]);
      const left = await person.all('bookings');
      assert.deepEqual([left.length, (await person.usage('bookings')).records.used], [10, 10]);
    });

    it('two concurrent actions: the losing one gets 409 with the current state', async () => {
      const { person, desk, record } = await parties();
      await act(person, record, 'submit');
      const replies = await Promise.all([act(person, record, 'cancel'), act(desk, record, 'approve')]);
      const [byPerson, byDesk] = replies;
      // Approved then cancelled is valid; cancelled then approved is not.
      assert.equal(byPerson.status, 200, byPerson.text);
      if (byDesk.status !== 200)
        assertProblemWith(byDesk, 'invalid_transition', { state: 'cancelled', allowed: [] });

      assert.deepEqual(await seen(person, record), ['cancelled', []]);
    });
  });
