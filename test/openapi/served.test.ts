import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { OpenApiDocument } from '../../src/openapi/document.ts';
import { ApiCaller } from '../support/http/api-caller.ts';
import { request } from '../support/http/request.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';
import { declarations } from '../support/services/unusual-declarations.ts';

describe('the document of a service without collections', () => {
  const running = deployment({ settings: { COLLECTIONS_DIR: declarationsFolder({}) } });

  it('is the committed one with the address of the service', async () => {
    const reply = await request(`${running().service.url}/openapi.json`);
    const address = String(running().service.settings.BASE_URL);
    const committed = readFileSync('docs/api/openapi.json', 'utf8');
    assert.deepEqual(reply.json(), JSON.parse(committed.replaceAll('https://api.example.org', address)));
    assert.equal(reply.headers.get('cache-control'), 'public, max-age=300');
  });
});

describe('the way to the document', () => {
  const running = deployment();
  const document = async (headers: OutgoingHttpHeaders) => {
    const response = await answerTo(`${running().service.url}/openapi.json`, headers);
    return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
  };

  it('is gzip for a caller that takes it', async () => {
    const plain = await document({});
    const cases: readonly (readonly [string, boolean])[] = [
      ['gzip', true],
      ['br;q=1.0, GZIP;q=0.5', true],
      ['gzip;q=0', false],
      ['gzip; q=0.000', false],
      ['br', false],
      ['identity', false],
    ];
    for (const [accepted, isZipped] of cases) {
      const reply = await document({ 'accept-encoding': accepted });
      assert.equal(reply.headers['content-encoding'], isZipped ? 'gzip' : undefined, accepted);
      assert.match(String(reply.headers.vary), /Accept-Encoding/);
      assert.equal(Number(reply.headers['content-length']), reply.body.length);
      assert.deepEqual(isZipped ? gunzipSync(reply.body) : reply.body, plain.body);
    }
  });

  it('is 304 for a caller that has it', async () => {
    for (const encoding of ['gzip', 'identity']) {
      const first = await document({ 'accept-encoding': encoding });
      const etag = String(first.headers.etag);
      for (const known of [etag, `"other", W/${etag}`, '*']) {
        const again = await document({ 'accept-encoding': encoding, 'if-none-match': known });
        assert.deepEqual([again.status, again.headers.etag, again.body.length], [304, etag, 0], known);
      }
      const other = await document({ 'accept-encoding': encoding, 'if-none-match': '"other"' });
      assert.equal(other.status, 200);
    }
    const etags = await Promise.all(['gzip', 'identity'].map((one) => document({ 'accept-encoding': one })));
    assert.notEqual(etags[0]?.headers.etag, etags[1]?.headers.etag);
  });
});

describe('a service with 200 collections', () => {
  const text = declarations['every-thing-1'] ?? '';
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`things-${index}`, text]));
  const running = deployment({ settings: { COLLECTIONS_DIR: declarationsFolder(many) } });

  it('sends the whole document to callers that read slowly, all from one address', async () => {
    const { url } = running().service;
    const slow = await Promise.all(Array.from({ length: 16 }, () => answerTo(`${url}/openapi.json`)));
    const lengths = slow.map(({ headers }) => Number(headers['content-length']));
    assert.ok(Math.min(...lengths) > 2 * 1024 * 1024, `${lengths[0]} bytes`);
    const bodies = await Promise.all(slow.map((response) => buffer(response)));
    const read = bodies.map((body) => body.length);
    assert.deepEqual(read, lengths);
    const { paths } = JSON.parse(String(bodies[0])) as OpenApiDocument;
    for (const name of Object.keys(many)) assert.ok(paths[`/api/consumer/v1/${name}`] !== undefined, name);
  });
});

async function answerTo(url: string, headers: OutgoingHttpHeaders = {}): Promise<IncomingMessage> {
  const [response] = await once(get(url, { headers, agent: false }), 'response');
  return response;
}

/** support/request checks every answer against the document of the service. */
describe('a service with unusual collections', () => {
  const running = deployment({ settings: { COLLECTIONS_DIR: declarationsFolder(declarations) } });
  let document: OpenApiDocument;
  let person: ApiCaller;
  let stranger: ApiCaller;
  before(async () => {
    const { service, provider } = running();
    document = (await request(`${service.url}/openapi.json`)).json<OpenApiDocument>();
    const scope = 'things.read things.write';
    person = new ApiCaller(service.url, await provider.token({ sub: 'one', scope }));
    stranger = new ApiCaller(service.url, await provider.token({ sub: 'two', scope }));
  });
  const exampleOf = (name: string) =>
    (document.components.schemas[`${name}.fields`] as { examples: object[] }).examples[0] as object;
  const expectStatus = async (
    status: number,
    ...[caller, ...sent]: [ApiCaller, ...Parameters<ApiCaller['send']>]
  ) => {
    const reply = await caller.send(...sent);
    assert.equal(reply.status, status, `${sent[0]} ${sent[1]}: ${reply.text}`);
    return reply;
  };

  it('accepts the documented example and answers as documented', async () => {
    const made = await expectStatus(201, person, 'POST', '/x', exampleOf('x'));
    const path = `/x/${made.json<{ id: string }>().id}`;
    assert.equal(made.headers.get('location'), `/api/consumer/v1${path}`);
    const etag = String(made.headers.get('etag'));
    await expectStatus(200, person, 'GET', path);
    await expectStatus(304, person, 'GET', path, undefined, { 'if-none-match': etag });
    await expectStatus(200, person, 'GET', '/x?limit=1&sort=created_at');
    await expectStatus(200, person, 'PATCH', path, { text: null });
    await expectStatus(200, person, 'PUT', path, { text: 'other' });
    await expectStatus(412, person, 'PUT', path, { text: 'other' }, { 'if-match': etag });
    await expectStatus(204, person, 'DELETE', path);
    await expectStatus(404, person, 'GET', path);
  });

  it('refuses as documented', async () => {
    await expectStatus(422, person, 'POST', '/x', { text: 1, more: 2 });
    await expectStatus(400, person, 'GET', '/x?colour=red');
    await expectStatus(400, person, 'GET', '/x?cursor=no');
    await expectStatus(400, person, 'POST', '/x', {}, { 'idempotency-key': 'x'.repeat(256) });
    await expectStatus(415, person, 'POST', '/x', {}, { 'content-type': 'text/plain' });
    await expectStatus(413, person, 'POST', '/x', { text: 'x'.repeat(70_000) });
    await expectStatus(404, person, 'GET', '/x/no-id-at-all');
    await expectStatus(405, person, 'PUT', '/x');
    await expectStatus(201, person, 'POST', '/x', { text: 'a' }, { 'idempotency-key': 'key' });
    await expectStatus(201, person, 'POST', '/x', { text: 'a' }, { 'idempotency-key': 'key' });
    await expectStatus(422, person, 'POST', '/x', { text: 'b' }, { 'idempotency-key': 'key' });
    await expectStatus(403, new ApiCaller(person.url, 'no token'), 'GET', '/x');
  });

  it('answers as documented for a collection with every feature', async () => {
    const made = await expectStatus(201, person, 'POST', '/every-thing-1', exampleOf('every-thing-1'));
    const path = `/every-thing-1/${made.json<{ id: string }>().id}`;
    const ifMatch = { 'if-match': String(made.headers.get('etag')) };
    await expectStatus(200, person, 'GET', '/every-thing-1?state=draft&created_at[gte]=2026-01-01T00:00:00Z');
    await expectStatus(200, person, 'GET', '/every-thing-1?seats[gte]=1&seats[lt]=3&sort=-seats');
    await expectStatus(400, person, 'GET', '/every-thing-1?seats=1&sort=-price');
    await expectStatus(428, person, 'PATCH', path, { seats: 2 });
    await expectStatus(412, person, 'PATCH', path, { seats: 2 }, { 'if-match': '"0"' });
    await expectStatus(200, stranger, 'GET', path);
    await expectStatus(403, stranger, 'PATCH', path, { seats: 2 }, ifMatch);
    await expectStatus(409, person, 'POST', `${path}/approve-it`, undefined, ifMatch);
    const submitted = await expectStatus(200, person, 'POST', `${path}/submit`, undefined, ifMatch);
    const now = { 'if-match': String(submitted.headers.get('etag')) };
    await expectStatus(403, person, 'POST', `${path}/approve-it`, undefined, now);
    await expectStatus(409, person, 'PATCH', path, { seats: 2 }, now);
    await expectStatus(204, person, 'DELETE', path, undefined, now);
  });

  it('answers as documented for a collection with unusual shapes', async () => {
    await expectStatus(201, person, 'POST', '/awkward', {
      isbn: 'ISBN 1',
      deep: { er: { est: [1, 1] } },
      more: 'x',
    });
    const reply = await expectStatus(429, person, 'POST', '/awkward', { isbn: 'ISBN 2' });
    assert.equal(reply.json().code, 'write_budget_spent');
    const path = '/awkward/6f9b2c1e-3d5a-4c7e-8b21-0a4f6d8e1c35';
    await expectStatus(201, stranger, 'PUT', path, { isbn: 'ISBN 3' }, { 'if-none-match': '*' });
    await expectStatus(404, person, 'PUT', path, { isbn: 'ISBN 3' }, { 'if-none-match': '*' });
  });

  it('answers as documented for usage, export and erasure', async () => {
    await expectStatus(200, person, 'GET', '/me/usage');
    const lines = (await expectStatus(200, person, 'GET', '/me/export')).text.trimEnd().split('\n');
    assert.match(String(lines.at(-1)), /^\{"type":"end","records":\d+\}$/);
    await expectStatus(200, person, 'DELETE', '/me');
    await expectStatus(200, person, 'GET', '');
  });

  it('has a reference page that may load only its own files and connect to the service', async () => {
    const { url } = running().service;
    const page = await request(`${url}/docs`);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.deepEqual(page.headers.get('content-security-policy')?.split('; '), [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer');
    for (const name of ['style.css', 'script.js'])
      assert.equal(
        (await request(`${url}/docs/${name}`)).text,
        readFileSync(`web/reference/${name}`, 'utf8'),
      );
  });
});
