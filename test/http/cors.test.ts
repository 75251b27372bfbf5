import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Reply, request } from '../support/http/request.ts';
import { deployment } from '../support/services/deployment.ts';
import { me } from '../support/services/service.ts';

const frontends = ['https://app.example', 'http://localhost:5173'];
const almost = ['https://app.example.evil.example', 'http://app.example', 'https://APP.example'];
const foreign = [...almost, 'null', '*'];
const jwks = '/.well-known/jwks.json';

/** The CORS headers only. */
function corsHeaders({ headers }: Reply): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));
}

function preflight(url: string, origin: string, method = 'GET'): Promise<Reply> {
  const asked = {
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization',
  };
  return request(url, { method: 'OPTIONS', headers: { origin, ...asked } });
}

describe('CORS with origins in CORS_ORIGINS', () => {
  const running = deployment({ settings: { CORS_ORIGINS: frontends.join(', ') } });
  const url = (path: string) => `${running().service.url}${path}`;
  const get = async (origin?: string) => {
    const authorization = `Bearer ${await running().provider.token()}`;
    return request(url(me), {
      headers: origin === undefined ? { authorization } : { authorization, origin },
    });
  };
  const readable = (origin: string) => ({
    'access-control-allow-origin': origin,
    'access-control-expose-headers':
      'WWW-Authenticate, DPoP-Nonce, Retry-After, X-Request-Id, ETag, Location, Link, RateLimit, RateLimit-Policy, Idempotency-Replayed, Events-Position, Events-Scope, Deprecation, Sunset',
  });

  it('a script of a listed origin can read the answer', async () => {
    for (const origin of frontends) {
      const reply = await get(origin);
      assert.equal(reply.status, 200);
      assert.deepEqual(corsHeaders(reply), readable(origin));
      assert.equal(reply.headers.get('vary'), 'Authorization, Origin');
    }
  });

  it('a script of a listed origin can read a refusal', async () => {
    const reply = await request(url(me), { headers: { origin: 'https://app.example' } });
    assert.equal(reply.status, 403);
    assert.deepEqual(corsHeaders(reply), readable('https://app.example'));
  });

  it('a foreign or missing origin gets no CORS headers, and Vary still names Origin', async () => {
    for (const origin of [...foreign, undefined]) {
      const reply = await get(origin);
      assert.deepEqual(corsHeaders(reply), {}, String(origin));
      assert.equal(reply.headers.get('vary'), 'Authorization, Origin');
    }
  });

  it('a preflight from a listed origin allows the Authorization header', async () => {
    const reply = await preflight(url(me), 'https://app.example');
    assert.deepEqual([reply.status, reply.text], [204, '']);
    assert.deepEqual(corsHeaders(reply), {
      'access-control-allow-origin': 'https://app.example',
      'access-control-allow-methods': 'GET, HEAD, DELETE',
      'access-control-allow-headers':
        'Authorization, DPoP, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, traceparent',
      'access-control-max-age': '600',
    });
    assert.equal(reply.headers.get('vary'), 'Origin');
    assert.equal(reply.headers.get('allow'), 'GET, HEAD, DELETE, OPTIONS');
  });

  it('a preflight from a foreign origin gets no CORS headers', async () => {
    for (const origin of foreign) {
      const reply = await preflight(url(me), origin);
      assert.deepEqual(corsHeaders(reply), {}, origin);
      assert.equal(reply.headers.get('vary'), 'Origin');
    }
  });

  it('a script of a listed origin can read the published keys', async () => {
    const reply = await request(url(jwks), { headers: { origin: 'https://app.example' } });
    assert.deepEqual(corsHeaders(reply), readable('https://app.example'));
    assert.equal(reply.headers.get('vary'), 'Origin');
  });
});

describe('CORS without CORS_ORIGINS', () => {
  const running = deployment();

  it('no origin gets CORS headers, and Vary does not name Origin', async () => {
    const { service, provider } = running();
    const authorization = `Bearer ${await provider.token()}`;
    const headers = { authorization, origin: 'https://app.example' };
    const reply = await request(`${service.url}${me}`, { headers });
    const found = [reply.status, corsHeaders(reply), reply.headers.get('vary')];
    assert.deepEqual(found, [200, {}, 'Authorization']);
  });

  it('a preflight gets 405', async () => {
    for (const path of [me, jwks, '/token']) {
      const reply = await preflight(`${running().service.url}${path}`, 'https://app.example');
      assert.deepEqual([reply.status, corsHeaders(reply)], [405, {}], path);
    }
  });
});
