import assert from 'node:assert/strict';
import { it } from 'node:test';
import { exchange, head, parseReply, rawReply, statuses } from '../support/http/raw-http.ts';
import { me } from '../support/services/service.ts';
import { attackedService } from './attacked-service.ts';

const target = attackedService();

it('[A51] the exact path is accepted with a valid token', async () => {
  const token = await target().provider.token();
  await target().acceptsRequest(() =>
    rawReply(target().url, head('GET', me, `authorization: Bearer ${token}`)),
  );
  await target().acceptsRequest(() =>
    rawReply(target().url, head('GET', `${me}?x=1`, `authorization: Bearer ${token}`)),
  );
});

it('[A51] an override header does not change the method', async () => {
  const token = await target().provider.token();
  for (const method of ['POST', 'PUT', 'PATCH'])
    for (const name of ['x-http-method-override', 'x-http-method', 'x-method-override']) {
      const lines = [`authorization: Bearer ${token}`, `${name}: GET`, 'content-length: 0'];
      const reply = await rawReply(target().url, head(method, me, ...lines));
      assert.equal(reply.status, 405);
      assert.equal(reply.headers.get('allow'), 'GET, HEAD, DELETE');
    }
});

/** Other spellings of the path; a server in front or a careless router might take them for it. */
const spellings = [
  ...[`/health/..${me}`, `/livez/..${me}`, `/.well-known/jwks.json/../..${me}`],
  ...[`/.well-known/jwks.json/..;${me}`, `/${me}`, `//127.0.0.1${me}`, `/%2e%2e${me}`, `/..${me}`, `/.${me}`],
  ...[`${me}/`, `${me}//`, `${me}/.`, `${me}/..`, `${me};x`, `${me};x=1`, `${me}.json`, `${me}%20`],
  ...[`${me}%00`, `${me}%0a`, `${me}%2f`, `${me}%3f`, `${me}%23`, `${me}\\`, me.toUpperCase()],
  ...[me.replace('me', 'ME'), me.replace('consumer', 'Consumer'), me.replace('v1', 'v1/')],
  ...[me.replaceAll('/', '%2f'), me.replaceAll('/', '\\'), me.slice(1), '/api/consumer/v2/me'],
  ...['/api/consumer/me', '/me', '*'],
];
for (const path of spellings)
  it(`[A51] ${path} is not found, with and without a token`, async () => {
    const token = await target().provider.token();
    for (const lines of [[], [`authorization: Bearer ${token}`]]) {
      const reply = await rawReply(target().url, head('GET', path, ...lines));
      assert.ok([400, 404].includes(reply.status), `status ${reply.status}`);
      assert.ok(['bad_request', 'not_found'].includes(String(reply.json().code)));
    }
  });

/** By the rules of URLs these lead to the route, so they need a token as well. */
const equivalents = [
  ...[me.replace('me', '%6de'), me.replace('api', '%61pi'), `${me}?`, `${me}?/livez`, `${me}#`],
  ...[`${me}#/livez`, `${me}?access=public`],
];
for (const path of equivalents)
  it(`[A51] ${path} is refused without a token`, async () => {
    await target().refusesRequest(() => rawReply(target().url, head('GET', path)), 'token_missing', '');
  });

it('[A51] an absolute URL in the request line gives no access', async () => {
  for (const origin of ['http://127.0.0.1', 'https://evil.example', 'http://localhost:1']) {
    const answer = await exchange(target().url, head('GET', `${origin}${me}`));
    assert.deepEqual(statuses(answer).length, 1);
    assert.ok([400, 403, 404].includes(parseReply(answer).status), answer);
  }
});

it('[A51] health and metrics are 404 on the port of the service', async () => {
  const token = await target().provider.token();
  for (const path of ['/livez', '/readyz', '/metrics', '/health', '/debug', '/.env'])
    for (const lines of [[], [`authorization: Bearer ${token}`], ['user-agent: kube-probe/1.33']])
      assert.equal((await rawReply(target().url, head('GET', path, ...lines))).status, 404);
});
