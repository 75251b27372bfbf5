import assert from 'node:assert/strict';
import { it } from 'node:test';
import { opsRoutes } from '../../src/http/ops-server.ts';
import { type Route, type ServiceParts, serviceRoutes } from '../../src/http/routes.ts';
import { type Reply, request } from '../support/http/request.ts';
import { attackedService } from './attacked-service.ts';

const target = attackedService();

/** Only the table is of interest here, so the handlers get no parts to work with. */
const routes = {
  service: serviceRoutes({
    protectedResource: { resource: '', issuers: [], scopes: [], dpop: null },
    collections: [],
    records: {},
    consumer: {},
    signOut: {},
  } as unknown as ServiceParts),
  ops: opsRoutes({ console: { '/console/data': null } } as unknown as Parameters<typeof opsRoutes>[0]),
};

type Caller = 'none' | 'expired' | 'wrong audience' | 'valid';
const callers: readonly Caller[] = ['none', 'expired', 'wrong audience', 'valid'];

/** Every route, and who may call it. A new route is added here by hand, after a look at its access. */
const expectedAccess: Record<keyof typeof routes, Record<string, Route['access']>> = {
  service: {
    'POST /token': 'client_credentials',
    'POST /revoke': 'client_credentials',
    'POST /idp/logout': 'signed',
    'GET /.well-known/jwks.json': 'public',
    'GET /.well-known/oauth-authorization-server': 'public',
    'GET /.well-known/oauth-protected-resource': 'public',
    'GET /openapi.json': 'public',
    'GET /docs': 'public',
    'GET /docs/style.css': 'public',
    'GET /docs/script.js': 'public',
    'GET /docs/element.js': 'public',
    'GET /docs/operation.js': 'public',
    'GET /docs/schema.js': 'public',
    'GET /docs/try.js': 'public',
    'GET /api/consumer/v1': 'public',
    'GET /api/consumer/v1/me': 'bearer',
    'DELETE /api/consumer/v1/me': 'bearer',
    'GET /api/consumer/v1/me/usage': 'bearer',
    'GET /api/consumer/v1/me/export': 'bearer',
    'GET /api/consumer/v1/events': 'bearer',
  },
  ops: {
    'GET /livez': 'ops',
    'GET /readyz': 'ops',
    'GET /metrics': 'ops',
    'GET /console/data': 'ops',
  },
};

/** The answer to each caller for each class: a bearer token changes nothing on a route without authentication. */
const expectedStatus: Record<Route['access'], Record<Caller, number>> = {
  public: { none: 200, expired: 200, 'wrong audience': 200, valid: 200 },
  client_credentials: { none: 400, expired: 400, 'wrong audience': 400, valid: 400 },
  // No provider may send logout tokens here, since no setting names their audience.
  signed: { none: 404, expired: 404, 'wrong audience': 404, valid: 404 },
  ops: { none: 200, expired: 200, 'wrong audience': 200, valid: 200 },
  bearer: { none: 403, expired: 403, 'wrong audience': 403, valid: 200 },
};
const expectedCode: Partial<Record<Caller, string>> = {
  none: 'token_missing',
  expired: 'token_expired',
  'wrong audience': 'audience_mismatch',
};

async function call(caller: Caller, method: string, url: string): Promise<Reply> {
  const { provider } = target();
  const tokens = {
    none: async () => null,
    expired: () => provider.token({ exp: 1_000_000_000 }),
    'wrong audience': () => provider.token({ aud: 'https://other.example' }),
    valid: () => provider.token(),
  };
  const token = await tokens[caller]();
  return request(url, { method, headers: token === null ? {} : { authorization: `Bearer ${token}` } });
}

const nameOf = ({ method, path }: Route) => `${method} ${path}`;

it('[A52] every route declares who may call it, and the table of this test knows every route', (t) => {
  for (const port of ['service', 'ops'] as const) {
    const actual = Object.fromEntries(routes[port].map((route) => [nameOf(route), route.access]));
    assert.equal(Object.keys(actual).length, routes[port].length, 'no route stands in the table twice');
    assert.deepEqual(actual, expectedAccess[port]);
    for (const [access, group] of Map.groupBy(routes[port], ({ access }) => access))
      t.diagnostic(`${port} port, ${access}: ${group.map(nameOf).join(', ')}`);
  }
});

for (const port of ['service', 'ops'] as const)
  for (const route of routes[port])
    for (const caller of callers)
      it(`[A52] ${nameOf(route)} (${route.access}) answers a caller with token: ${caller}`, async () => {
        const origin = port === 'service' ? target().service.url : target().service.opsUrl;
        const reply = await call(caller, route.method, `${origin}${route.path}`);
        const status = expectedStatus[route.access][caller];
        assert.equal(reply.status, status, reply.text);
        if (route.access === 'bearer' && status === 403)
          assert.equal(reply.json().code, expectedCode[caller]);
        if (route.path === '/token') assert.equal(reply.text, '{}');
        if (route.path === '/revoke') assert.equal(reply.json().error, 'invalid_request');
      });

it('[A52] HEAD needs the same access as GET', async () => {
  for (const route of routes.service.filter(({ method }) => method === 'GET'))
    for (const caller of callers) {
      const reply = await call(caller, 'HEAD', `${target().service.url}${route.path}`);
      assert.equal(reply.status, expectedStatus[route.access][caller], `${route.path} for ${caller}`);
      assert.equal(reply.text, '');
    }
});

it('[A52] every method without a route is refused for every caller', async () => {
  for (const [path, group] of Map.groupBy(routes.service, ({ path }) => path)) {
    const answered = group.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY', 'PROPFIND'];
    for (const method of others.filter((name) => !answered.includes(name)))
      for (const caller of ['none', 'valid'] as const) {
        const reply = await call(caller, method, `${target().service.url}${path}`);
        assert.equal(reply.status, 405, `${method} ${path} for ${caller}`);
      }
  }
});

it('[A52] the routes of one port are 404 on the other', async () => {
  const { service } = target();
  for (const caller of callers) {
    for (const { method, path } of routes.ops)
      assert.equal((await call(caller, method, `${service.url}${path}`)).status, 404);
    for (const { method, path } of routes.service)
      assert.equal((await call(caller, method, `${service.opsUrl}${path}`)).status, 404);
  }
});
