import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { describe, it } from 'node:test';
import { assertProblem } from '../support/http/answers.ts';
import { exchange, head, rawReply } from '../support/http/raw-http.ts';
import { request } from '../support/http/request.ts';
import { deployment } from '../support/services/deployment.ts';
import { me } from '../support/services/service.ts';
import { bodyWith } from '../support/tokens/token-endpoint.ts';

const allowed: Readonly<Record<string, readonly string[]>> = {
  '/token': ['POST'],
  '/.well-known/jwks.json': ['GET', 'HEAD'],
  '/.well-known/oauth-authorization-server': ['GET', 'HEAD'],
  '/.well-known/oauth-protected-resource': ['GET', 'HEAD'],
  '/openapi.json': ['GET', 'HEAD'],
  '/docs': ['GET', 'HEAD'],
  '/api/consumer/v1': ['GET', 'HEAD'],
  [me]: ['GET', 'HEAD', 'DELETE'],
  [`${me}/usage`]: ['GET', 'HEAD'],
  [`${me}/export`]: ['GET', 'HEAD'],
};

describe('methods that an address does not support', () => {
  const running = deployment({
    clients: { caller: [] },
  });

  it('an allowed method is never answered with 405', async () => {
    for (const [path, methods] of Object.entries(allowed))
      for (const method of methods) {
        const { status } = await request(`${running().service.url}${path}`, { method });
        assert.ok(status !== 405 && status < 500, `${method} ${path}: ${status}`);
      }
  });

  it('every other method is answered with 405 and an Allow header', async () => {
    for (const [path, methods] of Object.entries(allowed)) {
      // CONNECT asks for a tunnel instead of an answer; HEAD has no body to look at.
      for (const method of METHODS.filter((name) => ![...methods, 'CONNECT', 'HEAD'].includes(name))) {
        const reply = await rawReply(running().service.url, head(method, path));
        assertProblem(reply, 'method_not_allowed', `${method} ${path}`);
        assert.equal(reply.headers.get('allow'), methods.join(', '), `${method} ${path}`);
        assert.equal(reply.headers.get('access-control-allow-origin'), null);
      }
    }
  });

  it('HEAD /token is answered with 405 and no body', async () => {
    const reply = await request(`${running().service.url}/token`, { method: 'HEAD' });
    assert.deepEqual([reply.status, reply.text, reply.headers.get('allow')], [405, '', 'POST']);
  });

  it('valid credentials with the wrong method get 405', async () => {
    const { service, provider } = running();
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${await provider.token()}` };
    const body = bodyWith(running().client('caller'), '1');
    for (const method of ['PUT', 'PATCH'])
      for (const path of ['/token', me]) {
        const reply = await request(`${service.url}${path}`, { method, headers, body });
        assertProblem(reply, 'method_not_allowed', `${method} ${path}`);
      }
  });

  it('[G185] CONNECT opens no tunnel, and an unknown method is a bad request', async () => {
    const { service } = running();
    const { host } = new URL(service.opsUrl);
    const tunnel = await exchange(service.url, `CONNECT ${host} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
    assert.doesNotMatch(tunnel, /^HTTP\/1\.1 2/);
    assertProblem(await rawReply(service.url, head('INVENT', me)), 'bad_request');
    assert.equal((await request(`${service.opsUrl}/livez`)).status, 200);
  });

  it('the ops port allows only GET and HEAD', async () => {
    for (const path of ['/livez', '/readyz', '/metrics']) {
      const reply = await request(`${running().service.opsUrl}${path}`, { method: 'POST' });
      assertProblem(reply, 'method_not_allowed', path);
      assert.equal(reply.headers.get('allow'), 'GET, HEAD');
    }
  });
});
