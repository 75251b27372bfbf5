import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { assertProblemWith } from '../support/http/answers.ts';
import { sendBytes, type WireRecord } from '../support/http/api-caller.ts';
import { sampleDeclarations } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';

/** Invalid fields of a note, with the expected pointers. */
const wrong: readonly (readonly [fields: unknown, pointers: readonly string[]])[] = [
  [{}, ['/text']],
  [{ text: '' }, ['/text']],
  [{ text: 'x'.repeat(281) }, ['/text']],
  [{ text: ['x'] }, ['/text']],
  [{ text: 'x', stars: 6 }, ['/stars']],
  [{ text: 'x', tags: ['a', 1] }, ['/tags/1']],
  [{ text: 'x', tags: Array.from('abcdef') }, ['/tags']],
  [{ text: 'x', look: {} }, ['/look/colour']],
  [{ text: 'x', look: { colour: 'red', depth: 1 } }, ['/look/depth']],
  [{ text: 'x', unknown: 1 }, ['/unknown']],
  [{ text: 'x', 'a/b~c': 1 }, ['/a~1b~0c']],
  [{ text: '', stars: 9, tags: 1, look: 2, unknown: 3 }, ['/text', '/stars', '/tags', '/look', '/unknown']],
  [null, ['']],
  [[], ['']],
  [1, ['']],
];

describe('invalid fields', () => {
  const declared = deployment({ declarations: sampleDeclarations });
  const pointersOf = (reply: { json<T>(): T }) =>
    reply.json<{ errors: { pointer: string; message: string }[] }>().errors.map(({ pointer }) => pointer);

  it('invalid fields are 422 with a pointer to each, and values are not echoed', async () => {
    const person = await declared().person();
    for (const [fields, pointers] of wrong) {
      const sent = JSON.stringify(fields);
      const reply = await sendBytes(person, 'POST', '/notes', sent);
      const { errors } = reply.json<{ errors: { message: string }[] }>();
      assertProblemWith(reply, 'validation_failed', { errors }, sent);
      assert.deepEqual(pointersOf(reply), pointers, sent);
      for (const { message } of errors) {
        assert.match(message, /^(must|is|has) \S.*[^.]$/, sent);
        assert.doesNotMatch(message, /xxx|blue/, sent);
      }
    }
    assert.deepEqual(await person.all('notes'), []);
  });

  it('PUT and PATCH are validated like POST, also with a chosen id', async () => {
    const person = await declared().person();
    const { record, etag } = await person.make('notes', { text: 'kept', look: { colour: 'red' } });
    const path = `/notes/${record.id}`;
    for (const [fields, pointers] of wrong) {
      const sent = JSON.stringify(fields);
      const put = await sendBytes(person, 'PUT', path, sent);
      assert.deepEqual([put.status, pointersOf(put)], [422, pointers], sent);
      const headers = { 'if-none-match': '*' };
      const made = await sendBytes(person, 'PUT', `/notes/${randomUUID()}`, sent, { headers });
      assert.deepEqual([made.status, pointersOf(made)], [422, pointers], sent);
    }
    const patches: readonly (readonly [object | string, string])[] = [
      [{ text: null }, '/text'],
      [{ stars: 6 }, '/stars'],
      [{ look: { colour: null } }, '/look/colour'],
      [{ look: { depth: 1 } }, '/look/depth'],
      [{ look: 'red' }, '/look'],
      [{ unknown: 1 }, '/unknown'],
      [[], ''],
      ['text', ''],
    ];
    for (const [patch, pointer] of patches) {
      const reply = await sendBytes(person, 'PATCH', path, JSON.stringify(patch));
      assert.deepEqual([reply.status, pointersOf(reply)], [422, [pointer]], JSON.stringify(patch));
    }
    const read = await person.get(path);
    assert.deepEqual([read.json(), read.headers.get('etag')], [record, etag]);
  });

  it('a patch that removes a missing field is accepted', async () => {
    const person = await declared().person();
    const { record } = await person.make('notes', { text: 'x' });
    const reply = await person.send('PATCH', `/notes/${record.id}`, { unknown: null, stars: null });
    assert.equal(reply.status, 200, reply.text);
  });

  it('[D115] service members such as id and state in a body are ignored', async () => {
    const person = await declared().person();
    const foreign = {
      id: randomUUID(),
      state: 'approved',
      actions: ['approve'],
      created_at: '2001-01-01T00:00:00.000Z',
      updated_at: '2001-01-01T00:00:00.000Z',
    };
    const fields = { slot: '2026-05-01T10:00:00.000Z', seats: 2 };
    const { record } = await person.make('bookings', { ...foreign, ...fields });
    const path = `/bookings/${record.id}`;
    const ownOf = ({ id, state, actions, created_at }: WireRecord) => ({ id, state, actions, created_at });
    assert.deepEqual([record.state, record.actions], ['draft', ['submit', 'cancel']]);
    assert.notEqual(record.id, foreign.id);
    assert.ok(record.created_at > '2026');
    for (const method of ['PUT', 'PATCH']) {
      const reply = await person.send(method, path, { ...foreign, ...fields, seats: 3 });
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(ownOf(reply.json()), ownOf(record), method);
      assert.ok(String(reply.json().updated_at) >= record.updated_at);
    }
    const patched = await person.send('PATCH', path, { id: null, state: null, created_at: null });
    assert.deepEqual(ownOf(patched.json()), ownOf(record), 'null takes none of them away');
    assert.equal((await person.get(`/bookings/${foreign.id}`)).status, 404);
  });

  it('[D115] any other unknown field name is 422, and nothing is stored', async () => {
    const person = await declared().person();
    const { record, etag } = await person.make('notes', { text: 'kept' });
    const names =
      'owner owner_id iss sub subject version revision etag quota usage expires_at collection body';
    for (const name of [...names.split(' '), 'ID', 'Id', 'createdAt', 'bytes', 'kind', '_id', 'role'])
      for (const [method, path] of [
        ['POST', '/notes'],
        ['PUT', `/notes/${record.id}`],
        ['PATCH', `/notes/${record.id}`],
      ] as const) {
        const reply = await person.send(method, path, { text: 'x', [name]: 'usr_somebody' });
        assert.equal(reply.status, 422, `${method} ${name}`);
        assert.deepEqual(pointersOf(reply), [`/${name}`]);
      }

    assert.deepEqual(await person.all('notes'), [record]);
    assert.equal((await person.get(`/notes/${record.id}`)).headers.get('etag'), etag);
  });
});
