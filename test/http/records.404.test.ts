import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { assertProblem, bytesOf } from '../support/http/answers.ts';
import type { ApiCaller, WireRecord } from '../support/http/api-caller.ts';
import { head, rawReply } from '../support/http/raw-http.ts';
import { sampleDeclarations } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';
import { someEngine } from '../support/services/service.ts';

type Asked = readonly [
  method: string,
  action: string,
  body?: object | undefined,
  headers?: Record<string, string>,
];

/** Every method, with every precondition that could reveal a record. */
const booking = { slot: '2026-05-01T10:00:00Z', seats: 1 };
const verbs: readonly Asked[] = [
  ['GET', ''],
  ['HEAD', ''],
  ['GET', '', undefined, { 'if-none-match': '*' }],
  ['PUT', '', booking],
  ['PUT', '', booking, { 'if-match': '*' }],
  ['PUT', '', booking, { 'if-match': '"another"' }],
  ['PUT', '', booking, { 'if-match': 'no tag at all' }],
  ['PUT', '', { seats: 'no number' }],
  ['PATCH', '', { seats: 2 }],
  ['PATCH', '', { seats: 'no number' }],
  ['PATCH', '', {}, { 'if-match': '"another"' }],
  ['DELETE', ''],
  ['DELETE', '', undefined, { 'if-match': '*' }],
  ['POST', '/submit'],
  ['POST', '/approve'],
  ['POST', '/cancel', undefined, { 'if-match': '"another"' }],
  ['POST', '/unknown'],
  ['GET', '/submit'],
  ['OPTIONS', ''],
  ['POST', ''],
];

for (const engine of someEngine)
  describe(`records of other callers, on ${engine}`, () => {
    const declared = deployment({ engine, declarations: sampleDeclarations });
    const ask = (caller: ApiCaller, path: string, [method, action, body, headers]: Asked) =>
      caller.send(method, `${path}${action}`, body, headers);

    it('[D111] every method gives the same bytes for a foreign record as for a missing one', async () => {
      const person = await declared().person();
      const stranger = await declared().person();
      const { record, etag } = await person.make('bookings', booking);
      for (const verb of verbs) {
        const there = await ask(stranger, `/bookings/${record.id}`, verb);
        const missing = await ask(stranger, `/bookings/${randomUUID()}`, verb);
        assert.deepEqual(bytesOf(there), bytesOf(missing), JSON.stringify(verb));
        assert.ok(there.status >= 400 && there.status < 500, `${there.status} ${JSON.stringify(verb)}`);
      }
      const read = await person.get(`/bookings/${record.id}`);
      assert.deepEqual([read.json(), read.headers.get('etag')], [record, etag], 'nothing happened to it');
    });

    it('[D111] an id in use by another caller cannot be taken', async () => {
      const person = await declared().person();
      const { record } = await person.make('notes', { text: 'kept' });
      const stranger = await declared().person();
      const path = `/notes/${record.id}`;
      const reply = await stranger.send('PUT', path, { text: 'taken' }, { 'if-none-match': '*' });
      assertProblem(reply, 'not_found');
      assert.equal(reply.headers.get('etag'), null);
      assert.deepEqual((await person.get(path)).json(), record);
      assert.deepEqual(await stranger.all('notes'), []);
    });

    it('[D111] a used id stays taken, and the answer does not reveal whether its record still exists', async () => {
      const onlyNew = { 'if-none-match': '*' };
      const [person, stranger] = [await declared().person(), await declared().person()];
      const chosen = `/notes/${randomUUID()}`;
      assert.equal((await person.send('PUT', chosen, { text: 'mine' }, onlyNew)).status, 201);
      const given = `/notes/${(await person.make('notes', { text: 'mine' })).record.id}`;
      for (const path of [chosen, given]) {
        const take = (who: ApiCaller) => who.send('PUT', path, { text: 'taken' }, onlyNew);
        const there = await take(stranger);
        assertProblem(there, 'not_found', path);
        assert.equal((await person.send('DELETE', path)).status, 204);
        const deleted = await take(stranger);
        assert.deepEqual(bytesOf(deleted), bytesOf(there), path);
        assertProblem(await take(person), 'not_found', `${path} for its former owner`);
        assertProblem(await person.get(path), 'not_found', path);
      }
    });

    it('an id in the form of generated ids cannot be chosen, used or not', async () => {
      const person = await declared().person();
      const own = await person.make('notes', { text: 'mine' });
      const never = own.record.id.replace(/.{4}$/, (end) => (end === '0000' ? '0001' : '0000'));
      const reply = await person.send('PUT', `/notes/${never}`, { text: 'x' }, { 'if-none-match': '*' });
      assertProblem(reply, 'not_found');
    });

    it('[D112] no answer to a stranger contains any trace of a foreign record', async () => {
      const person = await declared().person();
      const stranger = await declared().person({ scope: 'files.read' });
      const label = `unmistakable-${randomUUID()}`;
      const task = { label, weight: 77.25, place: 7725, done: true, due: '2031-07-07T07:07:07Z' };
      const { record, etag } = await person.make('tasks', task);
      const own = await stranger.make('tasks', { ...task, label: 'own' });
      const { id } = (await person.get('/me')).json();
      const traces = [record.id, etag.replaceAll('"', ''), label, String(id)];
      const queries = [
        ...['', '?limit=1', '?sort=label', '?sort=-weight', `?label=${label}`, `?label[gte]=unmistakable`],
        ...['?weight=77.25', '?place[gte]=7725', '?done=true', '?due=2031-07-07T07:07:07Z', '?state=open'],
        ...[`?created_at[gte]=${record.created_at}`, `?created_at=${record.created_at}`],
      ];
      const replies = [
        ...(await Promise.all(queries.map((query) => stranger.get(`/tasks${query}`)))),
        await stranger.get('/me'),
        await stranger.get('/me/usage'),
        await stranger.get('/me/export'),
        await stranger.get(''),
        await stranger.get(`/tasks/${record.id}`, { 'if-none-match': etag }),
        await stranger.send('POST', '/tasks', { ...task, label: 'second' }),
        await stranger.send('PATCH', `/tasks/${own.record.id}`, { weight: 1 }, { 'if-match': etag }),
        await stranger.send('PATCH', `/tasks/${record.id}`, { weight: 1 }),
        await stranger.send('DELETE', `/tasks/${record.id}`),
      ];
      for (const reply of replies) {
        const all = `${[...reply.headers].flat().join('\n')}\n${reply.text}`;
        for (const trace of traces) assert.ok(!all.includes(trace), `${trace} in ${all}`);
      }
      const usage = await stranger.usage('tasks');
      assert.equal(usage.records.used, 2, 'only what is its own is counted');
      assert.deepEqual((await stranger.all('tasks', '&done=true')).map((found) => found.label).toSorted(), [
        'own',
        'second',
      ]);
      assert.deepEqual((await person.get(`/tasks/${record.id}`)).json(), record);
    });

    it('[D112] a record that everyone can read does not reveal its owner', async () => {
      const person = await declared().person();
      const { record } = await person.make('posts', { text: 'hello' });
      const { id } = (await person.get('/me')).json();
      const stranger = await declared().person();
      const read = await stranger.get(`/posts/${record.id}`);
      assert.deepEqual(read.json(), { ...record, actions: [] });
      const listed = await stranger.get('/posts?limit=200');
      assert.ok(listed.json<{ items: WireRecord[] }>().items.some((item) => item.id === record.id));
      assert.ok(!`${read.text}${listed.text}`.includes(String(id)));
    });

    it('[D114] malformed record ids are 400 or 404', async () => {
      const person = await declared().person();
      const { record } = await person.make('notes', { text: 'kept' });
      const { id } = record;
      const ids = [
        ...['..%2f', '..%2fnotes', `..%2fnotes%2f${id}`, '%00', `${id}%00`, `${id}%20`, `%20${id}`],
        ...[`${id}%0a`, `${id}.json`, `${id};x=1`, id.toUpperCase(), id.replaceAll('-', ''), `{${id}}`],
        ...[`urn:uuid:${id}`, '0', '1', '-1', '99999999999999999999999999', '1e999'],
        ...['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '__proto__'],
        ...['constructor', 'toString', '*', '%', '%zz', '%ff', "'%20or%201=1--", '$.text'],
        'x'.repeat(10_240),
      ];
      const unreadable = ['%', '%zz', '%ff', 'x'.repeat(10_240)];
      const authorization = `authorization: Bearer ${person.token}`;
      for (const each of ids)
        for (const method of ['GET', 'DELETE']) {
          const path = `/api/consumer/v1/notes/${each}`;
          const reply = await rawReply(person.url, head(method, path, authorization));
          const expected = unreadable.includes(each) ? 'bad_request' : 'not_found';
          assertProblem(reply, expected, `${method} ${each.slice(0, 100)}`);
        }

      assert.deepEqual(await person.all('notes'), [record]);
    });

    it('[D114] an id in the query is 400', async () => {
      const person = await declared().person();
      for (const query of ['?id=a', '?id=a&id=b', `?id=${randomUUID()}`])
        assert.equal((await person.get(`/notes${query}`)).status, 400, query);
    });

    it('a trailing slash, another case or another depth is 404', async () => {
      const person = await declared().person();
      const { record } = await person.make('notes', { text: 'kept' });
      for (const path of [
        ...[`/notes/${record.id}/`, '/notes/', '/Notes', `/NOTES/${record.id}`, `//notes/${record.id}`],
        ...[`/notes//${record.id}`, `/notes/${record.id}/text`, `/notes/${record.id}/${record.id}`],
        '/nothing',
      ])
        assertProblem(await person.get(path), 'not_found', path);
    });

    it('a record cannot be created under an id other than a lowercase UUID', async () => {
      const person = await declared().person();
      for (const id of [randomUUID().toUpperCase(), 'my-note', '1', '00000000-0000-0000-0000-000000000000']) {
        const reply = await person.send('PUT', `/notes/${id}`, { text: 'x' }, { 'if-none-match': '*' });
        assertProblem(reply, 'not_found', id);
      }
      assert.deepEqual(await person.all('notes'), []);
    });
  });
