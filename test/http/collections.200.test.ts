import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { METHODS } from 'node:http';
import { describe, it } from 'node:test';
import { assertProblem } from '../support/http/answers.ts';
import { sendBytes } from '../support/http/api-caller.ts';
import { head, rawReply } from '../support/http/raw-http.ts';
import { type Reply, request } from '../support/http/request.ts';
import { sampleDeclarations } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';

const prefix = '/api/consumer/v1';
const frontend = 'https://app.example';

interface Described {
  readonly name: string;
  readonly [member: string]: unknown;
}

describe('declared collections', () => {
  const declared = deployment({ declarations: sampleDeclarations, settings: { CORS_ORIGINS: frontend } });
  const url = (path: string) => `${declared().service.url}${prefix}${path}`;
  const overview = async () => {
    const reply = await request(url(''));
    assert.equal(reply.status, 200, reply.text);
    return reply.json<{ collections: Described[]; links: Record<string, string> }>();
  };
  const described = async (name: string) =>
    (await overview()).collections.find((one) => one.name === name) ?? assert.fail(name);

  it('anyone can list the collections with their addresses and rules', async () => {
    const { collections } = await overview();
    const names = collections.map(({ name }) => name);
    assert.deepEqual(names, Object.keys(sampleDeclarations).toSorted());
    const bookings = await described('bookings');
    const { schema, ...rest } = bookings;
    assert.deepEqual(rest, {
      name: 'bookings',
      title: 'Bookings',
      description: 'Seats in a slot of time.',
      href: `${prefix}/bookings`,
      index: ['slot'],
      initial: 'draft',
      states: {
        draft: { submit: { to: 'submitted', by: 'owner' }, cancel: { to: 'cancelled', by: 'owner' } },
        submitted: { approve: { to: 'approved', by: 'client' }, cancel: { to: 'cancelled', by: 'any' } },
        approved: { cancel: { to: 'cancelled', by: 'owner' } },
        cancelled: {},
      },
      editable: ['draft'],
      access: { read: 'owner', clients: 'any', scopes: { read: null, write: null } },
      concurrency: 'optional',
      limits: {
        per_user: 100_000,
        bytes: 16_384,
        writes: { count: 1_000_000, window_seconds: 60 },
        newcomer: { count: 100_000, window_seconds: 86_400, for_seconds: 604_800 },
        expire_seconds: 7_776_000,
      },
      events: 'thin',
    });
    assert.deepEqual((schema as { required: unknown }).required, ['slot', 'seats']);
  });

  it('an undeclared rule has its documented default', async () => {
    const { schema, ...scraps } = await described('scraps');
    assert.deepEqual(scraps, {
      name: 'scraps',
      title: 'scraps',
      href: `${prefix}/scraps`,
      index: [],
      access: { read: 'owner', clients: 'none', scopes: { read: null, write: null } },
      concurrency: 'optional',
      limits: {
        per_user: 1000,
        bytes: 16_384,
        writes: { count: 60, window_seconds: 60 },
        newcomer: null,
        expire_seconds: null,
      },
      events: 'thin',
    });
    assert.equal((schema as { additionalProperties: unknown }).additionalProperties, false);
  });

  it('every link and every collection address in the overview answers 200', async () => {
    const { collections, links } = await overview();
    const { token } = await declared().person({ scope: 'files.read' });
    const headers = { authorization: `Bearer ${token}` };
    for (const path of [...Object.values(links), ...collections.map(({ href }) => String(href))]) {
      const reply = await request(`${declared().service.url}${path}`, { headers });
      assert.equal(reply.status, 200, `${path} ${reply.text}`);
    }
  });

  it('a deprecated collection says so on every answer, and others on none', async () => {
    const person = await declared().person();
    const { record } = await person.make('faxes', { text: 'x' });
    const replies: readonly Reply[] = [
      await person.get('/faxes'),
      await person.get(`/faxes/${record.id}`),
      await person.send('POST', '/faxes', { text: 'y' }),
      await person.send('PATCH', `/faxes/${record.id}`, { text: 'z' }),
      await person.get(`/faxes/${randomUUID()}`),
      await person.send('POST', '/faxes', { wrong: 1 }),
      await sendBytes(person, 'POST', '/faxes', 'no JSON'),
      await request(url('/faxes')),
      await person.send('DELETE', `/faxes/${record.id}`),
    ];
    const statuses = replies.map(({ status }) => status);
    assert.deepEqual(statuses, [200, 200, 201, 200, 404, 422, 400, 403, 204]);
    for (const { headers } of replies) {
      assert.equal(headers.get('deprecation'), '@1767225600');
      assert.equal(headers.get('sunset'), 'Fri, 01 Jan 2027 00:00:00 GMT');
      assert.equal(headers.get('link'), '<https://example.org/changes>; rel="deprecation"');
    }
    for (const { headers } of [await person.get('/notes'), await request(url(''))])
      for (const name of ['deprecation', 'sunset', 'link']) assert.equal(headers.get(name), null, name);

    assert.deepEqual((await described('faxes')).deprecated, {
      since: '2026-01-01T00:00:00.000Z',
      sunset: '2027-01-01T00:00:00.000Z',
      link: 'https://example.org/changes',
    });
  });

  it('a list of a deprecated collection has a deprecation link and a next link', async () => {
    const person = await declared().person();
    for (const text of 'abc') await person.make('faxes', { text });
    const link = (await person.get('/faxes?limit=1')).headers.get('link') ?? '';
    assert.match(link, /<https:\/\/example\.org\/changes>; rel="deprecation"/);
    const [, next = ''] = /<(\/api[^<>]+)>; rel="next"/.exec(link) ?? [];
    assert.equal((await person.get(next.slice(prefix.length))).status, 200);
  });

  const addresses: Readonly<Record<string, readonly string[]>> = {
    '/bookings': ['GET', 'HEAD', 'POST'],
    [`/bookings/${randomUUID()}`]: ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'],
    [`/bookings/${randomUUID()}/submit`]: ['POST'],
    '': ['GET', 'HEAD'],
    '/me': ['GET', 'HEAD', 'DELETE'],
    '/me/usage': ['GET', 'HEAD'],
    '/me/export': ['GET', 'HEAD'],
  };

  it('a preflight from a listed origin gets the allowed methods and headers', async () => {
    for (const [path, methods] of Object.entries(addresses))
      for (const method of methods) {
        const headers = {
          origin: frontend,
          'access-control-request-method': method,
          'access-control-request-headers': 'authorization, content-type, if-match',
        };
        const reply = await request(url(path), { method: 'OPTIONS', headers });
        assert.equal(reply.status, 204, `${method} ${path} ${reply.text}`);
        assert.equal(reply.headers.get('access-control-allow-origin'), frontend);
        assert.equal(reply.headers.get('access-control-allow-methods'), methods.join(', '), path);
        assert.equal(
          reply.headers.get('access-control-allow-headers'),
          'Authorization, DPoP, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, traceparent',
        );
        assert.equal(reply.headers.get('access-control-allow-credentials'), null);
        const foreign = await request(url(path), {
          method: 'OPTIONS',
          headers: { ...headers, origin: 'https://evil.example' },
        });
        assert.equal(foreign.headers.get('access-control-allow-origin'), null);
        assert.equal(foreign.headers.get('access-control-allow-methods'), null);
      }
  });

  it('scripts of a listed origin can read answers and refusals of writes, with their headers', async () => {
    const person = await declared().person();
    const origin = { origin: frontend };
    for (const [reply, status] of [
      [await person.send('POST', '/notes', { text: 'x' }, origin), 201],
      [await person.send('POST', '/notes', {}, origin), 422],
      [await person.get(`/notes/${randomUUID()}`, origin), 404],
    ] as const) {
      assert.equal(reply.status, status);
      assert.equal(reply.headers.get('access-control-allow-origin'), frontend);
      assert.match(reply.headers.get('access-control-expose-headers') ?? '', /\bETag, Location, Link\b/);
      assert.match(reply.headers.get('vary') ?? '', /Authorization, Origin/);
    }
    const foreign = await person.send('POST', '/notes', { text: 'x' }, { origin: 'https://evil.example' });
    assert.equal(foreign.headers.get('access-control-allow-origin'), null);
  });

  it('a method that an address does not support gets 405 with the supported ones', async () => {
    const { token } = await declared().person();
    const authorization = `authorization: Bearer ${token}`;
    for (const [path, methods] of Object.entries(addresses)) {
      const known = [...methods, 'OPTIONS', 'CONNECT', 'HEAD'];
      for (const method of METHODS.filter((name) => !known.includes(name))) {
        const bytes = head(method, `${prefix}${path}`, authorization);
        const reply = await rawReply(declared().service.url, bytes);
        assertProblem(reply, 'method_not_allowed', `${method} ${path}`);
        assert.equal(reply.headers.get('allow'), [...methods, 'OPTIONS'].join(', '), `${method} ${path}`);
      }
    }
  });
});
