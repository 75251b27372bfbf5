import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertProblem } from '../support/http/answers.ts';
import { head, rawReply } from '../support/http/raw-http.ts';
import { assertNoEcho } from '../support/http/refusals.ts';
import { request, withToken } from '../support/http/request.ts';
import { deployment } from '../support/services/deployment.ts';
import { me } from '../support/services/service.ts';

describe('unknown addresses', () => {
  const running = deployment();
  const expectNothing = async (path: string, method = 'GET') => {
    const reply = await rawReply(running().service.url, head(method, path));
    assertProblem(reply, 'not_found', path);
    assertNoEcho(reply, path);
  };

  it('[G186] an unknown address gets 404, whatever the method', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'])
      await expectNothing('/path-mistlewombat?query-snorkelfinch=1', method);

    const reply = await request(`${running().service.url}/nothing`, { method: 'HEAD' });
    assert.deepEqual([reply.status, reply.text], [404, '']);
  });

  it('the consumer API answers under /api/consumer/v1 and no other prefix', async () => {
    const { service, provider } = running();
    assert.equal((await withToken(`${service.url}${me}`, await provider.token())).status, 200);
    const versions = [
      '/api/consumer/v2/me',
      '/api/consumer/v0/me',
      '/api/consumer/v1.0/me',
      '/api/consumer/me',
    ];
    for (const path of [...versions, '/v1/me', '/me', '/consumer/v1/me', '/api/v1/me', '/api/consumer'])
      assertProblem(await withToken(`${service.url}${path}`, await provider.token()), 'not_found', path);
  });

  it('the backend has no /userinfo, because names and pictures are for the provider to give', async () => {
    const { service, provider } = running();
    for (const path of ['/userinfo', '/api/consumer/v1/userinfo', '/api/consumer/v1/me/picture'])
      assertProblem(await withToken(`${service.url}${path}`, await provider.token()), 'not_found', path);
  });

  it('addresses are compared byte by byte', async () => {
    const cases = ['/TOKEN', '/token/', '//token', '/Api/consumer/v1/me'];
    const variations = [...cases, `${me}/`, `${me};x`, `/.${me}`];
    for (const path of [
      ...variations,
      '/api/consumer/v1//me',
      '/.well-known/jwks',
      '/.well-known/jwks.json/',
      '/.well-known/oauth-authorization-server/x',
      '/.well-known/openid-configuration',
    ])
      await expectNothing(path);
  });

  it('no file of the machine can be read', async () => {
    for (const path of ['/../package.json', '/..%2fpackage.json', '/%2e%2e/package.json', '/src/main.ts'])
      await expectNothing(path);
  });

  it('[G182] a malformed address gets 400, not 500', async () => {
    for (const path of ['/%', '/%zz', '/%ff', `${me}%`, '/%e0%a4%a'])
      assertProblem(await rawReply(running().service.url, head('GET', path)), 'bad_request', path);
  });
});
