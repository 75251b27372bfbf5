import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { assertProblem, assertProblemWith } from '../support/http/answers.ts';
import { type ApiCaller, sendBytes, type WireRecord } from '../support/http/api-caller.ts';
import { sampleDeclarations } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';
import { someEngine } from '../support/services/service.ts';

/** JSON of this depth, counting the two objects of the body. */
function nested(depth: number, open = '[', close = ']'): string {
  return `{"content":{"value":${open.repeat(depth - 2)}${open === '[' ? '' : '1'}${close.repeat(depth - 2)}}}`;
}

function box(value: string): string {
  return `{"content":{"value":${value}}}`;
}

const noJson: Readonly<Record<string, string | Buffer>> = {
  nothing: '',
  blank: ' \n',
  'half an object': '{"content":{',
  'a text without an end': '{"content":{"value":"abc',
  'something behind it': `${box('1')} x`,
  'two documents': `${box('1')}${box('1')}`,
  'a comma too many': '{"content":{"value":[1,]}}',
  'single quotes': "{'content':{}}",
  'a comment': '{"content":{} /* x */}',
  'no quotes': '{content:{}}',
  NaN: box('NaN'),
  Infinity: box('-Infinity'),
  'a leading zero': box('01'),
  'a hexadecimal number': box('0x10'),
  'a raw line break in a text': box('"a\nb"'),
  'a byte order mark': `\ufeff${box('1')}`,
  'UTF-16': Buffer.from(box('1'), 'utf16le'),
  'half a character': Buffer.from(box('"\xc3"'), 'latin1'),
  'an overlong form': Buffer.from(box('"\xc0\xaf"'), 'latin1'),
  'a surrogate in UTF-8': Buffer.from(box('"\xed\xa0\x80"'), 'latin1'),
  'a form': 'content=1',
};

const notKept: Readonly<Record<string, string>> = {
  'a name twice': '{"content":{},"content":{}}',
  'a name twice, deep inside': box('{"a":{"b":1,"c":2,"b":3}}'),
  'a name twice, once in an escaped form': box('{"a":1,"\\u0061":2}'),
  'names that differ by their normal form': box('{"caf\u00e9":1,"cafe\u0301":2}'),
  'NUL in a text': box('"a\\u0000b"'),
  'NUL in a name': box('{"\\u0000":1}'),
  'the first half of a surrogate pair': box('"\\ud83d"'),
  'the second half': box('"\\ude00x"'),
  'a pair the wrong way round': box('"\\ude00\\ud83d"'),
  'half a pair in a name': box('{"\\ud800":1}'),
  'a number beyond a double': box('1e999'),
  'a whole number beyond 2^53': box('9007199254740993'),
  'the same with a minus': box('[-9007199254740993]'),
  'a long whole number': box('123456789012345678901234567890'),
};

const treacherous = ['__proto__', 'constructor', 'prototype'];

for (const engine of someEngine)
  describe(`bodies that cannot be stored, on ${engine}`, () => {
    const declared = deployment({ engine, declarations: sampleDeclarations });

    /** Asserts that every request with a body refuses this one. */
    const refused = async (person: ApiCaller, record: WireRecord, body: string | Buffer, what: string) => {
      const path = `/boxes/${record.id}`;
      const onlyNew = { headers: { 'if-none-match': '*' } };
      const mergePatch = { contentType: 'application/merge-patch+json' };
      assertProblem(await sendBytes(person, 'POST', '/boxes', body), 'json_invalid', `POST ${what}`);
      assertProblem(await sendBytes(person, 'PUT', path, body), 'json_invalid', `PUT ${what}`);
      const patched = await sendBytes(person, 'PATCH', path, body, mergePatch);
      assertProblem(patched, 'json_invalid', `PATCH ${what}`);
      const made = await sendBytes(person, 'PUT', `/boxes/${randomUUID()}`, body, onlyNew);
      assertProblem(made, 'json_invalid', `PUT of a new one ${what}`);
    };
    const withBox = async () => {
      const person = await declared().person({ scope: 'files.read' });
      return { person, record: (await person.make('boxes', { content: { value: 'kept' } })).record };
    };

    it('a body that is not JSON in UTF-8 is 400', async () => {
      const { person, record } = await withBox();
      for (const [what, body] of Object.entries(noJson)) await refused(person, record, body, what);
      assert.deepEqual(await person.all('boxes'), [record]);
    });

    it('[D120] JSON that some database or client could not hold is 400 on every database', async () => {
      const { person, record } = await withBox();
      for (const [what, body] of Object.entries(notKept)) await refused(person, record, body, what);
      assert.deepEqual(await person.all('boxes'), [record]);
    });

    it('a body whose parts cost more than their size is 400 and says which limit it passed', async () => {
      const { person, record } = await withBox();
      const members = Array.from({ length: 10_001 }, (_, index) => `"${index.toString(36)}":0`).join();
      const bodies = [
        ['combining marks in a row in a name. Send at most 30.', `{"a${'\u0301\u0323'.repeat(12_000)}":1}`],
        ['members in the body. Send at most 10000.', `{${members}}`],
        ['values in the body. Send at most 65536.', `[${'0,'.repeat(65_536)}0]`],
      ] as const;
      for (const [what, body] of bodies) {
        const detail = `Too many ${what}`;
        assertProblemWith(await sendBytes(person, 'POST', '/batch', body), 'json_invalid', { detail });
        // Others may not be as large as a batch.
        if (body.length > 65_536) continue;
        for (const [method, path] of [
          ['POST', '/boxes'],
          ['PUT', `/boxes/${record.id}`],
          ['PATCH', `/boxes/${record.id}`],
        ] as const)
          assertProblemWith(await sendBytes(person, method, path, body), 'json_invalid', { detail }, method);
      }
      const name = `Tie\u0302\u0301ng Vie\u0323\u0302t \u1112\u1161\u11ab ${'\uff76\uff9e'.repeat(40)} \u{1f469}\u200d\u{1f4bb}`;
      const { record: kept } = await person.make('boxes', { content: { [name]: 1 } });
      assert.deepEqual(kept.content, { [name]: 1 });
    });

    it('[D121] a body with __proto__, constructor or prototype as a name is 400 at any depth', async () => {
      const { person, record } = await withBox();
      for (const name of treacherous)
        for (const body of [
          `{"${name}":{"polluted":true}}`,
          `{"content":{"value":1},"${name}":null}`,
          box(`{"${name}":{"polluted":true}}`),
          box(`[{"a":{"${name}":1}}]`),
          box(`{"constructor":{"prototype":{"polluted":true}}}`),
          box(`{"\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}":{"polluted":true}}`),
        ])
          await refused(person, record, body, body);

      assert.deepEqual(await person.all('boxes'), [record]);
      const { record: clean } = await person.make('boxes', { content: {} });
      assert.deepEqual(
        Object.keys(clean),
        ['id', 'content', 'created_at', 'updated_at'],
        'nothing is polluted',
      );
      const values = await person.make('boxes', { content: { value: treacherous } });
      assert.equal(values.record.content instanceof Object, true, 'as a value they are words like any other');
    });

    it('[D121] a JSON Patch is not accepted as a merge patch', async () => {
      const { person, record } = await withBox();
      for (const path of ['/__proto__/x', '/constructor/prototype/x', '/content/value']) {
        const patch = JSON.stringify([{ op: 'add', path, value: 1 }]);
        const contentType = 'application/json-patch+json';
        const reply = await sendBytes(person, 'PATCH', `/boxes/${record.id}`, patch, { contentType });
        assertProblem(reply, 'media_type_not_supported', path);
      }
      assert.deepEqual(await person.all('boxes'), [record]);
    });

    it('[D117] 64 levels of nesting are stored and returned, and deeper bodies are 400', async () => {
      const { person, record } = await withBox();
      for (const [open, close] of [
        ['[', ']'],
        ['{"a":', '}'],
      ] as const) {
        const made = await sendBytes(person, 'POST', '/boxes', nested(64, open, close));
        assert.equal(made.status, 201, made.text);
        const path = `/boxes/${made.json<WireRecord>().id}`;
        assert.equal((await person.get(path)).text, made.text);
        assert.equal((await person.send('PATCH', path, {})).status, 200);
        assert.equal((await person.get('/boxes')).status, 200);
        assert.match((await person.get('/me/export')).text, /"type":"end"/);
        assert.equal((await person.send('DELETE', path)).status, 204);
        for (const depth of [65, 1_000, 10_000])
          await refused(person, record, nested(depth, open, close), `${depth} of ${open}`);
      }
      await refused(person, record, '['.repeat(65_536), 'brackets that nobody closes');
      assertProblem(await sendBytes(person, 'POST', '/boxes', nested(100_000)), 'body_too_large');
      assert.deepEqual(await person.all('boxes'), [record]);
    });

    it('[D118] wide or long bodies are stored or refused, while other requests are answered', async () => {
      const person = await declared().person();
      const keys = (count: number) =>
        box(`{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join()}}`);
      const bodies: readonly (readonly [body: string, status: number])[] = [
        [keys(5_000), 201],
        [keys(100_000), 413],
        [box(`{"${'k'.repeat(60_000)}":0}`), 201],
        [box(`{"${'k'.repeat(1_048_576)}":0}`), 413],
        [box(`[${'[],'.repeat(20_000)}[]]`), 201],
        [box(`[${'[],'.repeat(350_000)}[]]`), 413],
        [box(`"${'\\"'.repeat(32_000)}"`), 201],
        [box(`"${'a\\"'.repeat(21_000)}`), 400],
        [box('"'.repeat(60_000)), 400],
        [box('1'.repeat(60_000)), 400],
        [`{"unknown":0,${Array.from({ length: 5_000 }, (_, index) => `"u${index}":0`).join()}}`, 422],
      ];
      for (const [body, status] of bodies) {
        const [reply, meanwhile] = await Promise.all([
          sendBytes(person, 'POST', '/boxes', body),
          person.get('/me'),
        ]);
        assert.equal(reply.status, status, body.slice(0, 60));
        assert.equal(meanwhile.status, 200);
        assert.ok(reply.text.length < 70_000, 'nobody is sent more than was kept');
      }
    });

    it('a malformed precondition or Idempotency-Key header is 400 and named', async () => {
      const { person, record } = await withBox();
      const path = `/boxes/${record.id}`;
      const body = { content: {} };
      const noTags = [
        'abc',
        '"a',
        'a"',
        '"a" "b"',
        '"a",',
        ',',
        '',
        "'a'",
        'w/"a"',
        '"a"b',
        '*, "a"',
        '"a b"',
      ];
      for (const tag of noTags) {
        for (const [method, sent] of [['PUT', body], ['PATCH', body], ['DELETE']] as const) {
          const reply = await person.send(method, path, sent, { 'if-match': tag });
          assertProblemWith(reply, 'header_invalid', { header: 'If-Match' }, `${method} ${tag}`);
        }
        const read = await person.get(path, { 'if-none-match': tag });
        assertProblemWith(read, 'header_invalid', { header: 'If-None-Match' }, `GET ${tag}`);
      }
      for (const tag of ['"a"', 'W/"a"', 'abc']) {
        const reply = await person.send('PUT', path, body, { 'if-none-match': tag });
        assertProblemWith(reply, 'header_invalid', { header: 'If-None-Match' }, `PUT ${tag}`);
      }
      const both = await person.send('PUT', path, body, { 'if-none-match': '*', 'if-match': '*' });
      assertProblemWith(both, 'header_invalid', { header: 'If-Match' });
      for (const key of ['', 'x'.repeat(256), 'caf\u00e9', 'a\tb', '\u00a0']) {
        const reply = await person.send('POST', '/boxes', body, { 'idempotency-key': key });
        assertProblemWith(reply, 'header_invalid', { header: 'Idempotency-Key' }, key);
      }
      assert.deepEqual(await person.all('boxes'), [record]);
    });
  });
