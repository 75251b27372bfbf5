import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { assertProblem } from '../support/http/answers.ts';
import { sendBytes, type WireRecord } from '../support/http/api-caller.ts';
import { sampleDeclarations } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';
import { someEngine } from '../support/services/service.ts';

for (const engine of someEngine)
  describe(`reading and changing records, on ${engine}`, () => {
    const declared = deployment({ engine, declarations: sampleDeclarations });
    const owner = async (fields: object = { text: 'first', stars: 1 }) => {
      const person = await declared().person();
      const { record, etag } = await person.make('notes', fields);
      return { person, record, etag, path: `/notes/${record.id}` };
    };

    it('GET is 200 with an ETag, and HEAD is the same without a body', async () => {
      const { person, record, etag, path } = await owner();
      const read = await person.get(path);
      assert.deepEqual([read.status, read.json()], [200, record]);
      assert.equal(read.headers.get('etag'), etag);
      const head = await person.send('HEAD', path);
      assert.deepEqual([head.status, head.text, head.headers.get('etag')], [200, '', etag]);
      assert.equal(head.headers.get('content-length'), read.headers.get('content-length'));
    });

    it('GET is 304 when If-None-Match holds the current ETag in any form', async () => {
      const { person, etag, path } = await owner();
      for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, `${etag},"other"`, '*']) {
        const reply = await person.get(path, { 'if-none-match': tag });
        assert.deepEqual([reply.status, reply.text], [304, ''], tag);
        assert.equal(reply.headers.get('etag'), etag);
        assert.equal(reply.headers.get('content-type'), null);
      }
      for (const tag of ['"other"', 'W/"other"', `"${etag.slice(1, -2)}"`])
        assert.equal((await person.get(path, { 'if-none-match': tag })).status, 200, tag);

      await person.send('PATCH', path, { stars: 2 });
      assert.equal((await person.get(path, { 'if-none-match': etag })).status, 200, 'after a change');
    });

    it('PUT replaces all fields and changes the ETag', async () => {
      const { person, record, etag, path } = await owner();
      const reply = await person.send('PUT', path, { text: 'second', tags: ['a', 'b'] });
      assert.equal(reply.status, 200, reply.text);
      const { updated_at, ...rest } = reply.json<WireRecord>();
      const { id, created_at } = record;
      assert.deepEqual(rest, { id, text: 'second', tags: ['a', 'b'], created_at });
      assert.ok(updated_at >= created_at);
      assert.notEqual(reply.headers.get('etag'), etag);
      assert.equal((await person.get(path)).text, reply.text);
    });

    it('PATCH merges as RFC 7396 defines', async () => {
      const look = { colour: 'red', size: 3 };
      const { person, path } = await owner({ text: 'first', stars: 1, tags: ['a', 'b'], look });
      const steps: readonly (readonly [patch: object, expected: object])[] = [
        [{ stars: 2 }, { text: 'first', stars: 2, tags: ['a', 'b'], look }],
        [{ stars: null }, { text: 'first', tags: ['a', 'b'], look }],
        [{ look: { size: null } }, { text: 'first', tags: ['a', 'b'], look: { colour: 'red' } }],
        [
          { look: { colour: 'green' }, tags: [] },
          { text: 'first', tags: [], look: { colour: 'green' } },
        ],
        [{ look: null, tags: null, stars: null }, { text: 'first' }],
        [{ look: { colour: 'red', size: null } }, { text: 'first', look: { colour: 'red' } }],
        [{}, { text: 'first', look: { colour: 'red' } }],
      ];
      const etags = new Set<string | null>();
      for (const [patch, expected] of steps) {
        const reply = await person.send('PATCH', path, patch);
        assert.equal(reply.status, 200, reply.text);
        const { id: _, created_at: _created, updated_at: _updated, ...fields } = reply.json<WireRecord>();
        assert.deepEqual(fields, expected);
        assert.equal((await person.get(path)).text, reply.text);
        etags.add(reply.headers.get('etag'));
      }
      assert.equal(etags.size, steps.length, 'every change makes another version');
    });

    it('PATCH accepts merge-patch and plain JSON, PUT only JSON', async () => {
      const { person, path } = await owner();
      for (const contentType of [
        'application/merge-patch+json',
        'application/merge-patch+json; charset=utf-8',
      ]) {
        const patched = await sendBytes(person, 'PATCH', path, '{"stars":4}', { contentType });
        assert.equal(patched.status, 200, contentType);
        const put = await sendBytes(person, 'PUT', path, '{"text":"x"}', { contentType });
        assertProblem(put, 'media_type_not_supported', contentType);
      }
    });

    it('a change with a matching If-Match is accepted: one tag, a list, or *', async () => {
      const { person, etag, path } = await owner();
      let current = etag;
      for (const tags of [(tag: string) => tag, (tag: string) => `"other", ${tag}`, () => '*'])
        for (const method of ['PUT', 'PATCH']) {
          const reply = await person.send(method, path, { text: 'x' }, { 'if-match': tags(current) });
          assert.equal(reply.status, 200, reply.text);
          current = String(reply.headers.get('etag'));
        }

      assert.equal((await person.send('DELETE', path, undefined, { 'if-match': current })).status, 204);
    });

    it('[D127] without If-Match the last write wins', async () => {
      const { person, path } = await owner();
      await Promise.all([1, 2, 3].map((stars) => person.send('PATCH', path, { stars })));
      const last = await person.send('PATCH', path, { stars: 5 });
      assert.deepEqual([last.status, last.json().stars], [200, 5]);
    });

    it('DELETE is 204 without a body, and later requests are 404', async () => {
      const { person, path } = await owner();
      const gone = await person.send('DELETE', path);
      assert.deepEqual([gone.status, gone.text, gone.headers.get('content-type')], [204, '', null]);
      assert.equal(gone.headers.get('etag'), null);
      assertProblem(await person.get(path), 'not_found');
      assertProblem(await person.send('PUT', path, { text: 'x' }), 'not_found');
      assertProblem(await person.send('PATCH', path, {}), 'not_found');
      assertProblem(await person.send('DELETE', path), 'not_found');
      assert.deepEqual(await person.all('notes'), []);
    });

    it('every version has a different ETag, even with the same fields', async () => {
      const person = await declared().person();
      const path = `/notes/${randomUUID()}`;
      const made = await person.send('PUT', path, { text: 'same' }, { 'if-none-match': '*' });
      const etags = [made.headers.get('etag')];
      for (let time = 0; time < 3; time += 1)
        etags.push((await person.send('PUT', path, { text: 'same' })).headers.get('etag'));
      assert.equal(new Set(etags).size, 4);
    });

    it('every write has RateLimit headers for writes, and every read for reads', async () => {
      const { person, path } = await owner();
      const written = await person.send('PATCH', path, { stars: 1 });
      assert.equal(written.headers.get('ratelimit-policy'), '"writes";q=1000000;w=60');
      assert.match(written.headers.get('ratelimit') ?? '', /^"writes";r=\d+;t=\d+$/);
      const read = await person.get(path);
      assert.equal(read.headers.get('ratelimit-policy'), '"reads";q=1000000;w=60');
      assert.match(read.headers.get('ratelimit') ?? '', /^"reads";r=\d+;t=\d+$/);
    });
  });
