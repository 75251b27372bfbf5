import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ErrorCode } from '../../src/base/errors.ts';
import { assertProblem, assertProblemWith } from '../support/http/answers.ts';
import type { ApiCaller } from '../support/http/api-caller.ts';
import { sampleDeclarations } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';
import { someEngine } from '../support/services/service.ts';

/** Every request that changes a record of the ledger. */
const changes: readonly (readonly [method: string, action: string, body?: object])[] = [
  ['PUT', '', { amount: 2 }],
  ['PATCH', '', { amount: 2 }],
  ['POST', '/close'],
  ['DELETE', ''],
];

for (const engine of someEngine)
  describe(`changes with another version, on ${engine}`, () => {
    const declared = deployment({ engine, declarations: sampleDeclarations });
    const entry = async (): Promise<{ person: ApiCaller; path: string; etag: string; text: string }> => {
      const person = await declared().person();
      const { record, etag } = await person.make('ledger', { amount: 1 });
      const path = `/ledger/${record.id}`;
      return { person, path, etag, text: (await person.get(path)).text };
    };

    it('a wrong If-Match is 412 with the current record and ETag, and changes nothing', async () => {
      const { person, path, etag, text } = await entry();
      const others = ['"another"', `W/${etag}`, '"a", "b"', `"${etag.slice(1, -2)}"`];
      for (const [method, action, body] of changes)
        for (const tag of others) {
          const reply = await person.send(method, `${path}${action}`, body, { 'if-match': tag });
          assertProblemWith(reply, 'precondition_failed', { current: JSON.parse(text) }, `${method} ${tag}`);
          assert.equal(reply.headers.get('etag'), etag);
        }

      const read = await person.get(path);
      assert.deepEqual([read.text, read.headers.get('etag')], [text, etag]);
    });

    it('a former ETag is 412, and the ETag of that answer works', async () => {
      const { person, path, etag } = await entry();
      const first = await person.send('PATCH', path, { amount: 2 }, { 'if-match': etag });
      assert.equal(first.status, 200, first.text);
      const late = await person.send('PATCH', path, { amount: 3 }, { 'if-match': etag });
      assertProblemWith(late, 'precondition_failed', { current: first.json() });
      const again = { 'if-match': String(late.headers.get('etag')) };
      const second = await person.send('PATCH', path, { amount: 3 }, again);
      assert.deepEqual([second.status, second.json().amount], [200, 3], 'what 412 says is enough to go on');
    });

    it('PUT with If-None-Match: * on an existing record is 412 and leaves it', async () => {
      const { person, path, etag, text } = await entry();
      const reply = await person.send('PUT', path, { amount: 9 }, { 'if-none-match': '*' });
      assertProblemWith(reply, 'precondition_failed', { current: JSON.parse(text) });
      assert.equal(reply.headers.get('etag'), etag);
      assert.equal((await person.get(path)).text, text);
    });

    it('[D127] without If-Match a change is 428 where the collection requires it', async () => {
      const { person, path, text } = await entry();
      for (const [method, action, body] of changes)
        assertProblem(await person.send(method, `${path}${action}`, body), 'precondition_required', method);

      assert.equal((await person.get(path)).text, text);
    });

    it('a change with the current ETag is accepted', async () => {
      const { person, path, etag } = await entry();
      let current = etag;
      for (const [method, action, body] of changes) {
        const reply = await person.send(method, `${path}${action}`, body, { 'if-match': current });
        assert.equal(reply.status, method === 'DELETE' ? 204 : 200, reply.text);
        current = String(reply.headers.get('etag'));
      }
    });

    it('a wrong If-Match is 412 even where the collection does not require it', async () => {
      const person = await declared().person();
      const { record, etag } = await person.make('notes', { text: 'x' });
      const path = `/notes/${record.id}`;
      for (const [method, body] of [['PUT', { text: 'y' }], ['PATCH', { text: 'y' }], ['DELETE']] as const) {
        const reply = await person.send(method, path, body, { 'if-match': '"another"' });
        assertProblemWith(reply, 'precondition_failed', { current: record }, method);
        assert.equal(reply.headers.get('etag'), etag);
      }
    });

    it('[D111] a stranger gets 404 without an ETag, whatever the precondition', async () => {
      const { path } = await entry();
      const stranger = await declared().person();
      const expected: ErrorCode = 'not_found';
      for (const [method, action, body] of changes)
        for (const headers of [{}, { 'if-match': '"another"' }, { 'if-match': '*' }]) {
          const reply = await stranger.send(method, `${path}${action}`, body, headers);
          assertProblem(reply, expected, method);
          assert.equal(reply.headers.get('etag'), null);
        }
    });
  });
