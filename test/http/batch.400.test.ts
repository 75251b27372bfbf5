import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { sendBytes } from '../support/http/api-caller.ts';
import { assertCode } from '../support/http/code.ts';
import { Person } from '../support/people/person.ts';
import { deployment } from '../support/services/deployment.ts';
import { someEngine } from '../support/services/service.ts';

const declarations = {
  notes: `
schema: { properties: { text: { type: string, maxLength: 30000 } } }
limits: { per_user: 1000, bytes: 65536, writes: 10000/min }
`,
  lists: 'schema: { properties: { title: { type: string, maxLength: 20 } } }',
  entries: `
parent: { field: list, collection: lists }
schema: { properties: { what: { type: string, maxLength: 20 } } }
`,
  files: `
schema: { properties: { text: { type: string, maxLength: 20 } } }
access: { scopes: { read: files.read, write: files.write } }
`,
};
const create = { create: 'notes', fields: { text: 'x' } };
const id = randomUUID();
const known = {
  create: 'expected create, fields, id',
  update: 'expected update, id, fields, if_match',
  delete: 'expected delete, id, if_match',
  act: 'expected act, in, id, input, if_match',
};
const verbs = 'must be an object with one of create, update, delete, act';
const list = 'must be a list of 1 to 50 operations';

/** Malformed operations, each with the pointer to its fault inside the operation and the message. */
const operations: readonly (readonly [unknown, pointer: string, message: string])[] = [
  [null, '', verbs],
  [[create], '', verbs],
  [{ replace: 'notes', id, fields: {} }, '', verbs],
  [{ create: 7, fields: {} }, '/create', 'must be the name of a collection'],
  [{ act: null, in: 'notes', id }, '/act', 'must be the name of an action'],
  [{ act: 'close', id }, '/in', 'is required'],
  [{ create: 'notes' }, '/fields', 'is required'],
  [{ create: 'notes', fields: 'x' }, '/fields', 'must be an object'],
  [{ update: 'notes', fields: {} }, '/id', 'is required'],
  [{ delete: 'notes', id: 7 }, '/id', 'must be the id of a record'],
  [{ create: 'notes', fields: {}, id: null }, '/id', 'must be the id of a record'],
  [{ ...create, update: 'notes' }, '/update', `is not known here; ${known.create}`],
  [{ ...create, if_match: '*' }, '/if_match', `is not known here; ${known.create}`],
  [{ update: 'notes', id, fields: {}, 'a/b~': 1 }, '/a~1b~0', `is not known here; ${known.update}`],
  [{ delete: 'notes', id, fields: {} }, '/fields', `is not known here; ${known.delete}`],
  [{ act: 'close', in: 'notes', id, input: [] }, '/input', 'must be an object'],
  [{ act: 'close', in: 'notes', id, fields: {} }, '/fields', `is not known here; ${known.act}`],
  [{ delete: 'notes', id, ['x'.repeat(65)]: 1 }, '', `has a member that is not known here; ${known.delete}`],
  ...['', 'a b', '"', 'a"b', '"a","b"', 7, null].map((tag) => {
    return [{ delete: 'notes', id, if_match: tag }, '/if_match', 'must be the ETag of a record'] as const;
  }),
  [
    { create: 'lists', id, fields: {} },
    '/id',
    'must be left out: the service makes the ids of this collection',
  ],
];

/** The body, the pointer to its first fault, and the message. */
const malformed: typeof operations = [
  [null, '/operations', list],
  [[create], '/operations', list],
  [{}, '/operations', list],
  [{ operations: create }, '/operations', list],
  [{ operations: [] }, '/operations', list],
  [{ operations: Array(51).fill(create) }, '/operations', list],
  [{ operations: [create], atomic: true }, '/atomic', 'is not known here; expected operations'],
  ...operations.map(([operation, pointer, message]) => {
    return [{ operations: [create, operation] }, `/operations/1${pointer}`, message] as const;
  }),
];

for (const engine of someEngine)
  describe(`malformed POST /batch, on ${engine}`, () => {
    const target = deployment({ engine, declarations, settings: { MAX_BODY_BYTES: '65536' } });

    it('answers 400 with a pointer to the fault and changes nothing', async () => {
      const ada = await Person.of(target());
      for (const [body, pointer, message] of malformed) {
        const reply = await sendBytes(ada.caller, 'POST', '/batch', JSON.stringify(body));
        assertCode(reply, 'batch_invalid');
        assert.deepEqual(reply.json().errors, [{ pointer, message }], JSON.stringify(body));
      }
      assert.deepEqual(await ada.caller.all('notes'), []);
      assert.equal((await ada.caller.usage('notes')).writes.used, 0);
    });

    it('reports the first fault of each operation', async () => {
      const ada = await Person.of(target());
      const { body } = await ada.post('batch', { operations: [{}, create, { create: 'notes' }] });
      const pointers = body.errors.map(({ pointer }: { pointer: string }) => pointer);
      assert.deepEqual(pointers, ['/operations/0', '/operations/2/fields']);
    });

    it('refuses invalid JSON, duplicate members, other content types and a malformed Idempotency-Key', async () => {
      const { caller } = await Person.of(target());
      const deep = `${'['.repeat(70)}${']'.repeat(70)}`;
      for (const body of [
        '',
        '{',
        '{"operations":[{"create":"notes","create":"notes","fields":{}}]}',
        '{"operations":[{"create":"notes","fields":{"__proto__":{}}}]}',
        `{"operations":[{"create":"notes","fields":{"text":${deep}}}]}`,
        '{"operations":[{"create":"notes","fields":{"text":"\\u0000"}}]}',
      ])
        assertCode(await sendBytes(caller, 'POST', '/batch', body), 'json_invalid');
      const body = JSON.stringify({ operations: [create] });
      for (const contentType of ['text/plain', 'application/merge-patch+json', null])
        assertCode(
          await sendBytes(caller, 'POST', '/batch', body, { contentType }),
          'media_type_not_supported',
        );
      const keyed = (key: string) =>
        sendBytes(caller, 'POST', '/batch', body, { headers: { 'idempotency-key': key } });
      assertCode(await keyed('a\u00e9'), 'header_invalid');
      assert.equal((await keyed(' ')).status, 400);
    });

    it('answers 413 above one mebibyte, and accepts bodies larger than MAX_BODY_BYTES', async () => {
      const ada = await Person.of(target());
      const fields = { text: 'x'.repeat(20_000) };
      const large = { operations: Array(50).fill({ create: 'notes', fields }) };
      assert.equal((await ada.post('batch', large)).status, 200);
      const body = `${JSON.stringify(large)}${' '.repeat(50_000)}`;
      assertCode(await sendBytes(ada.caller, 'POST', '/batch', body), 'body_too_large');
      assert.equal((await ada.caller.all('notes')).length, 50);
    });

    it('answers 403 if the token lacks the scope of any operation', async () => {
      const ada = await Person.of(target(), { scope: 'files.read' });
      const { status, body, reply } = await ada.post('batch', {
        operations: [
          { delete: 'notes', id },
          { create: 'files', fields: {} },
        ],
      });
      assert.deepEqual([status, body.code, body.scope], [403, 'insufficient_scope', 'files.write']);
      assert.match(String(reply.headers.get('www-authenticate')), /error="insufficient_scope"/);
    });
  });
