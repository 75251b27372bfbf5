import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { oddTexts } from '../support/databases/records.ts';
import { sendBytes, type WireRecord } from '../support/http/api-caller.ts';
import { sampleDeclarations } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';
import { someEngine } from '../support/services/service.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const etagForm = /^"[\x21\x23-\x7e]+"$/;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

for (const engine of someEngine)
  describe(`creating records, on ${engine}`, () => {
    const declared = deployment({ engine, declarations: sampleDeclarations });

    it('POST answers with the record, its Location and its ETag', async () => {
      const person = await declared().person();
      const reply = await person.send('POST', '/notes', { text: 'milk', stars: 3 });
      assert.equal(reply.status, 201, reply.text);
      const { id, created_at, updated_at, ...fields } = reply.json<WireRecord>();
      assert.match(id, uuid);
      assert.match(created_at, instant);
      assert.equal(updated_at, created_at);
      assert.deepEqual(fields, { text: 'milk', stars: 3 });
      assert.deepEqual(Object.keys(reply.json()), ['id', 'text', 'stars', 'created_at', 'updated_at']);
      const { headers } = reply;
      assert.equal(headers.get('location'), `/api/consumer/v1/notes/${id}`);
      assert.match(headers.get('etag') ?? '', etagForm);
      assert.equal(headers.get('content-type'), 'application/json');
      assert.equal(headers.get('cache-control'), 'private, no-store');
      assert.match(headers.get('vary') ?? '', /\bAuthorization\b/);
    });

    it('Location leads to the same record with the same ETag', async () => {
      const person = await declared().person();
      const made = await person.send('POST', '/notes', { text: 'eggs' });
      const location = new URL(String(made.headers.get('location')), person.url);
      const read = await person.get(location.pathname.replace('/api/consumer/v1', ''));
      assert.deepEqual([read.status, read.text], [200, made.text]);
      assert.equal(read.headers.get('etag'), made.headers.get('etag'));
    });

    it("a record of a collection with states starts in the initial state and lists the owner's actions", async () => {
      const person = await declared().person();
      const { record } = await person.make('bookings', { slot: '2026-05-01T10:00:00Z', seats: 2 });
      assert.deepEqual([record.state, record.actions], ['draft', ['submit', 'cancel']]);
    });

    it('optional fields may be missing', async () => {
      const person = await declared().person();
      const { record } = await person.make('scraps', {});
      assert.deepEqual(Object.keys(record), ['id', 'created_at', 'updated_at']);
    });

    it('PUT with If-None-Match: * creates a record under a chosen id', async () => {
      const person = await declared().person();
      const id = randomUUID();
      const reply = await person.send('PUT', `/notes/${id}`, { text: 'mine' }, { 'if-none-match': '*' });
      assert.equal(reply.status, 201, reply.text);
      assert.equal(reply.json().id, id);
      assert.equal(reply.headers.get('location'), `/api/consumer/v1/notes/${id}`);
      const read = await person.get(`/notes/${id}`);
      assert.deepEqual([read.status, read.text], [200, reply.text]);
      assert.equal(read.headers.get('etag'), reply.headers.get('etag'));
    });

    it('one id can be used in several collections', async () => {
      const person = await declared().person();
      const id = randomUUID();
      const onlyNew = { 'if-none-match': '*' };
      const statuses: number[] = [];
      for (const path of [`/notes/${id}`, `/posts/${id}`, `/scraps/${id}`])
        statuses.push((await person.send('PUT', path, { text: 'x' }, onlyNew)).status);
      assert.deepEqual(statuses, [201, 201, 201]);
    });

    it('JSON is accepted with and without its charset, in any letter case', async () => {
      const person = await declared().person();
      for (const contentType of [
        'application/json',
        'application/json; charset=utf-8',
        'application/json;charset="UTF-8"',
        'Application/JSON ; Charset=utf-8',
      ]) {
        const reply = await sendBytes(person, 'POST', '/notes', '{"text":"x"}', { contentType });
        assert.equal(reply.status, 201, contentType);
      }
    });

    it('[D120] [D123] accepted JSON is returned byte for byte', async () => {
      const person = await declared().person();
      const contents = [
        ...oddTexts,
        '\uffff\ufffe\u2028\u0001\u007f',
        'ﬁ Å Å ⅷ 𝒳',
        '{{x}} %s %00 \\u0000',
        { b: 1, a: 2, 1: 3, 'e\u0301': 4, 'with "quotes" \\ and \n': 5, '': 6, $: 7, 'a.b[0]': 8 },
        [0, -1, 0.1, 1e-7, 5e-324, 123456789.123456, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
        [true, false, null, [], {}, [[]], [null]],
      ];
      for (const content of contents) {
        const sent = JSON.stringify(content);
        const made = await sendBytes(person, 'POST', '/boxes', `{"content":{"value":${sent}}}`);
        assert.equal(made.status, 201, `${sent.slice(0, 100)}: ${made.text.slice(0, 300)}`);
        assert.ok(made.text.includes(`{"value":${sent}}`), sent.slice(0, 100));
        const read = await person.get(`/boxes/${made.json<WireRecord>().id}`);
        assert.equal(read.text, made.text);
      }
    });

    it('an indexed date-time is stored in UTC with milliseconds', async () => {
      const person = await declared().person();
      for (const [sent, kept] of [
        ['2026-05-01T12:00:00+02:00', '2026-05-01T10:00:00.000Z'],
        ['2026-05-01t10:00:00.5z', '2026-05-01T10:00:00.500Z'],
        ['2026-12-31T23:30:00-01:00', '2027-01-01T00:30:00.000Z'],
      ]) {
        const { record } = await person.make('bookings', { slot: sent, seats: 1 });
        assert.equal(record.slot, kept);
      }
    });
  });
