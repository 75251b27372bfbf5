import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canaryWords } from '../support/faults/canaries.ts';
import { exchange, head } from '../support/http/raw-http.ts';
import { type Reply, request, withToken } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { deployment } from '../support/services/deployment.ts';
import { me } from '../support/services/service.ts';
import { credentialsBody, postToken } from '../support/tokens/token-endpoint.ts';

const members = ['duration_ms', 'level', 'method', 'msg', 'request_id', 'route', 'status', 'time'];

describe('request log', () => {
  const running = deployment({
    clients: { caller: [] },
  });
  const requestLines = () =>
    running()
      .service.logLines()
      .filter(({ msg }) => msg === 'request');
  /** The one line about an answer, found by its request id. */
  const lineOf = async (reply: Reply) => {
    const id = reply.headers.get('x-request-id');
    const find = () => requestLines().filter(({ request_id }) => request_id === id);
    const lines = await until(find, ({ length }) => length > 0, `no line about ${id}`);
    assert.equal(lines.length, 1);
    return lines[0] as Record<string, unknown>;
  };

  it('a request is one line with method, route pattern, status, duration and request id', async () => {
    const { service, provider } = running();
    const reply = await withToken(`${service.url}${me}?query-snorkelfinch=1`, await provider.token());
    const line = await lineOf(reply);
    assert.deepEqual(Object.keys(line).sort(), members);
    assert.deepEqual([line.method, line.route, line.status, line.level], ['GET', me, 200, 30]);
    assert.ok(typeof line.duration_ms === 'number' && line.duration_ms >= 0);
    assert.equal(new Date(String(line.time)).toISOString(), line.time);
  });

  it('a refused request also has its reason code', async () => {
    const { service, provider } = running();
    const tokens = { token_malformed: 'x', audience_mismatch: await provider.token({ aud: 'other' }) };
    for (const [code, token] of Object.entries(tokens)) {
      const line = await lineOf(await withToken(`${service.url}${me}`, token));
      assert.deepEqual(Object.keys(line).sort(), ['code', ...members]);
      assert.deepEqual([line.code, line.status, line.route], [code, 403, me]);
    }
  });

  it('incomplete credentials are logged with a detail, wrong credentials without', async () => {
    const { url } = running().service;
    const incomplete = await lineOf(await postToken(url, '{"client_id":"secret-thistledrake"}'));
    assert.deepEqual(Object.keys(incomplete).sort(), ['code', 'detail', ...members].sort());
    assert.equal(incomplete.detail, 'no usable client_secret');
    const wrong = await lineOf(await postToken(url, credentialsBody({ id: 'caller', secret: 'x' })));
    assert.deepEqual(Object.keys(wrong).sort(), ['code', ...members]);
    assert.equal(wrong.code, 'credentials_wrong');
  });

  it('an unknown or unreadable address is logged as route "(none)"', async () => {
    const line = await lineOf(await request(`${running().service.url}/path-mistlewombat/x?y=z`));
    assert.deepEqual([line.route, line.status, line.code], ['(none)', 404, 'not_found']);
    const unreadable = await lineOf(await request(`${running().service.url}/path-mistlewombat/%zz`));
    assert.deepEqual([unreadable.route, unreadable.status, unreadable.code], ['(none)', 400, 'bad_request']);
  });

  it('a wrong method is logged with the route of the address', async () => {
    const line = await lineOf(await request(`${running().service.url}/token`));
    assert.deepEqual([line.method, line.route, line.status], ['GET', '/token', 405]);
  });

  it('requests to the ops port are not logged', async () => {
    const { service } = running();
    const before = requestLines().length;
    for (const path of ['/livez', '/readyz', '/metrics']) await request(`${service.opsUrl}${path}`);
    await lineOf(await request(`${service.url}/nothing`));
    assert.equal(requestLines().length, before + 1);
  });

  it('no line contains a URL, query, address, user agent, token, claim or secret', async () => {
    const { service, provider } = running();
    const token = await provider.token();
    await exchange(service.url, 'path-mistlewombat is no HTTP\r\n\r\n');
    await exchange(service.url, head('GET', `/x?${token}`, 'x-forwarded-for: 203.0.113.77'));
    await postToken(service.url, credentialsBody(running().client('caller')));
    await lineOf(await withToken(`${service.url}${me}`, token));
    const lines = service.logLines().filter(({ msg }) => msg !== 'listening');
    const text = JSON.stringify(lines);
    assert.ok(lines.length > 5, 'there is something to look through');
    const sent = [
      ...['http://', '127.0.0.1', '::1', '203.0.113.77', '?', 'eyJ', running().client('caller').secret],
      ...[provider.origin, 'caller'],
    ];
    for (const word of [...canaryWords, ...sent, ...token.split('.')])
      assert.ok(!text.includes(word), `"${word}" is in the log`);
  });
});
