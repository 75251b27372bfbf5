import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { assertProblem, assertProblemWith } from '../support/http/answers.ts';
import { sendBytes } from '../support/http/api-caller.ts';
import { exchange, head, rawReply, statuses } from '../support/http/raw-http.ts';
import { sampleDeclarations } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';

const bodyBytes = 65_536;
const recordBytes = 100;

describe('sizes and types of record bodies', () => {
  const declared = deployment({ declarations: sampleDeclarations });
  const note = '{"text":"x"}';
  const headOf = (authorization: string, ...lines: string[]) =>
    head('POST', '/api/consumer/v1/notes', `authorization: ${authorization}`, ...lines);
  const writesTo = (collection: string, id: string) => {
    const path = `/${collection}/${id}`;
    return [['POST', `/${collection}`] as const, ['PUT', path] as const, ['PATCH', path] as const];
  };

  it('a record at the byte limit is stored, and one byte more is 413', async () => {
    const person = await declared().person();
    const room = recordBytes - '{"text":""}'.length;
    const { record } = await person.make('chips', { text: 'x'.repeat(room) });
    const path = `/chips/${record.id}`;
    const tooLarge = { text: 'x'.repeat(room + 1) };
    for (const [method, address] of writesTo('chips', record.id)) {
      const reply = await person.send(method, address, tooLarge);
      assertProblemWith(reply, 'record_too_large', { limit: recordBytes }, method);
    }
    const grown = await person.send('PATCH', path, { more: '' });
    assertProblemWith(grown, 'record_too_large', { limit: recordBytes }, 'what a patch makes of the record');
    assert.deepEqual(await person.all('chips'), [record]);
  });

  it('the size is compared before the schema, which would take long for many members', async () => {
    const person = await declared().person();
    const fields = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`u${index}`, 1]));
    const { record } = await person.make('chips', { text: 'x' });
    for (const [method, path] of writesTo('chips', record.id))
      assertProblemWith(await person.send(method, path, fields), 'record_too_large', { limit: recordBytes });
    const batch = { operations: [{ create: 'chips', fields }] };
    const { problem } = (await person.send('POST', '/batch', batch)).json<{ problem: { code: string } }>();
    assert.equal(problem.code, 'record_too_large');
  });

  it('the record limit counts bytes of the fields, without spaces and service members', async () => {
    const person = await declared().person();
    const room = recordBytes - '{"text":""}'.length;
    assert.equal((await person.send('POST', '/chips', { text: 'é'.repeat(room / 2) })).status, 201);
    assert.equal((await person.send('POST', '/chips', { text: 'é'.repeat(room / 2 + 1) })).status, 413);
    const padded = ` { "id" : "${'x'.repeat(200)}" , "text" : "x" } `;
    assert.equal((await sendBytes(person, 'POST', '/chips', padded)).status, 201);
  });

  it('[D116] a body at the limit is read, and one byte more is 413', async () => {
    const person = await declared().person();
    assert.equal((await sendBytes(person, 'POST', '/notes', note.padEnd(bodyBytes))).status, 201);
    const reply = await sendBytes(person, 'POST', '/notes', note.padEnd(bodyBytes + 1));
    assertProblem(reply, 'body_too_large');
    assert.equal(reply.headers.get('connection'), 'close');
  });

  it('a Content-Length above the limit gets 413 and closes the connection before any body', {
    timeout: 20_000,
  }, async () => {
    const person = await declared().person();
    const lines = ['content-type: application/json', `content-length: ${bodyBytes + 1}`];
    const start = headOf(`Bearer ${person.token}`, ...lines).replace('connection: close\r\n', '');
    assertProblem(await rawReply(person.url, start), 'body_too_large');
  });

  it('[D116] a bad token with a huge Content-Length gets 403, and the service keeps answering', async () => {
    const person = await declared().person();
    const [header, payload] = person.token.split('.');
    for (const credentials of [
      'Bearer aaaa',
      'DPoP aaaa',
      `Bearer ${header}.${payload}.AAAA`,
      `DPoP ${person.token}`,
    ]) {
      const start = headOf(credentials, 'content-length: 99999999');
      assert.equal((await rawReply(person.url, start)).status, 403, credentials);
      assert.equal((await sendBytes(person, 'POST', '/notes', note)).status, 201, credentials);
    }
  });

  it('[D116] a body shorter than its Content-Length creates no record', async () => {
    const person = await declared().person();
    const lines = ['content-type: application/json', `content-length: ${note.length + 1}`];
    const answers = await exchange(person.url, headOf(`Bearer ${person.token}`, ...lines) + note, 'at once');
    const all = statuses(answers);
    assert.deepEqual(all, Array(all.length).fill(400), answers);
    assert.deepEqual(await person.all('notes'), []);
  });

  it('[D116] a compressed body is 415', async () => {
    const person = await declared().person();
    const bomb = gzipSync(Buffer.alloc(20_000_000, ' '));
    assert.ok(bomb.length < bodyBytes, 'control: it is small');
    for (const [encoding, body] of [
      ['gzip', bomb],
      ['gzip', gzipSync(note)],
      ['gzip', note],
      ['br', note],
      ['deflate', note],
      ['identity, gzip', note],
      ['x', note],
    ] as const) {
      const headers = { 'content-encoding': encoding };
      const reply = await sendBytes(person, 'POST', '/notes', body, { headers });
      assertProblem(reply, 'media_type_not_supported', encoding);
    }
    assert.deepEqual(await person.all('notes'), []);
    const plain = { headers: { 'content-encoding': 'identity' } };
    assert.equal((await sendBytes(person, 'POST', '/notes', note, plain)).status, 201);
  });

  it('a body of another content type is 415', async () => {
    const person = await declared().person();
    const { record } = await person.make('notes', { text: 'kept' });
    for (const contentType of [
      ...[null, 'text/plain', 'text/json', 'application/x-www-form-urlencoded'],
      ...['multipart/form-data; boundary=x', 'application/xml', 'application/json; charset=utf-16'],
      ...['application/json; charset=iso-8859-1', 'application/json, text/plain', 'application/jsonx'],
      ...['application/ld+json', 'application/problem+json', 'json'],
    ])
      for (const [method, path] of writesTo('notes', record.id)) {
        const reply = await sendBytes(person, method, path, note, { contentType });
        assertProblem(reply, 'media_type_not_supported', `${method} ${contentType}`);
      }

    for (const [method, path] of writesTo('notes', record.id))
      assertProblem(await person.send(method, path), 'media_type_not_supported', `${method} without a body`);

    assert.deepEqual(await person.all('notes'), [record]);
  });
});
