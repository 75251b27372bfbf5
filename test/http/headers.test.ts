import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientChallenge } from '../support/http/answers.ts';
import { exchange, head, parseReply } from '../support/http/raw-http.ts';
import { dpopChallenge, plainChallenge } from '../support/http/refusals.ts';
import { type Reply, request } from '../support/http/request.ts';
import { deployment } from '../support/services/deployment.ts';
import { me } from '../support/services/service.ts';
import { postOf } from '../support/tokens/oauth-form.ts';

const security = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};
/** Headers of the single answer or the connection. */
const others = ['content-type', 'content-length', 'date', 'connection', 'keep-alive', 'x-request-id'];

function remaining({ headers }: Reply): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => !others.includes(name)));
}

describe('response headers', () => {
  const running = deployment();
  const url = (path: string) => `${running().service.url}${path}`;

  it('[G186] a personal answer has exactly the security headers and must not be cached', async () => {
    const headers = { authorization: `Bearer ${await running().provider.token()}` };
    const reply = await request(url(me), { headers });
    assert.equal(reply.status, 200);
    const own = { 'cache-control': 'private, no-store', vary: 'Authorization' };
    assert.deepEqual(remaining(reply), { ...security, ...own });
  });

  it('[G186] a refused token gets the same headers and a challenge', async () => {
    const { 'www-authenticate': challenge, ...rest } = remaining(await request(url(me)));
    const own = { 'cache-control': 'private, no-store', vary: 'Authorization' };
    assert.deepEqual(rest, { ...security, ...own });
    assert.equal(challenge, `${plainChallenge}, ${dpopChallenge}`);
  });

  it('[G186] POST /token, an unknown address and a wrong method have exactly the security headers', async () => {
    const plain = { ...security, 'cache-control': 'no-store' };
    assert.deepEqual(remaining(await request(url('/token'), { method: 'POST' })), plain);
    assert.deepEqual(remaining(await request(url('/nothing'))), plain);
    const wrongMethod = remaining(await request(url('/token')));
    assert.deepEqual(wrongMethod, { ...plain, allow: 'POST' });
  });

  it('public documents have the security headers and may be cached', async () => {
    for (const [path, keep] of [
      ['jwks.json', 300],
      ['oauth-authorization-server', 3600],
      ['oauth-protected-resource', 3600],
    ] as const) {
      const found = remaining(await request(url(`/.well-known/${path}`)));
      assert.deepEqual(found, { ...security, 'cache-control': `public, max-age=${keep}` }, path);
    }
  });

  it('wrong credentials get a challenge that names the client authentication methods', async () => {
    for (const form of ['JSON', 'form'] as const) {
      const reply = await request(url('/token'), {
        method: 'POST',
        ...postOf(form, { id: 'x', secret: 'x' }),
      });
      assert.equal(reply.status, 401);
      const own = { 'cache-control': 'no-store', 'www-authenticate': clientChallenge };
      assert.deepEqual(remaining(reply), { ...security, ...own });
    }
  });

  it('answers of the ops port have the security headers', async () => {
    for (const path of ['/livez', '/readyz', '/metrics', '/nothing']) {
      const found = remaining(await request(`${running().service.opsUrl}${path}`));
      assert.deepEqual(found, { ...security, 'cache-control': 'no-store' }, path);
    }
  });

  it('answers to malformed HTTP have the security headers', async () => {
    const tooLarge = head('GET', me, `x-large: ${'x'.repeat(20_000)}`);
    for (const bytes of [head('GET', '/%zz'), 'hello\r\n\r\n', tooLarge]) {
      const found = remaining(parseReply(await exchange(running().service.url, bytes)));
      assert.deepEqual(found, { ...security, 'cache-control': 'no-store' }, bytes.slice(0, 20));
    }
  });

  it('every answer has its own request id, whatever the caller sends', async () => {
    const headers = { 'x-request-id': 'of-the-caller', 'request-id': 'of-the-caller' };
    const replies = await Promise.all([1, 2, 3, 4].map(() => request(url(me), { headers })));
    const ids = replies.map((reply) => reply.headers.get('x-request-id'));
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids) assert.match(String(id), /^[\w-]{12,}$/);
    // No part of an id repeats or counts, so ids reveal nothing about other requests.
    const parts = ids.flatMap((id) => [String(id).slice(0, 6), String(id).slice(6)]);
    assert.equal(new Set(parts).size, parts.length);
  });
});
