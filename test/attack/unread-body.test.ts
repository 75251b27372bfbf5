import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertProblem } from '../support/http/answers.ts';
import { exchange, parseReply, statuses } from '../support/http/raw-http.ts';
import { withToken } from '../support/http/request.ts';
import { deployment } from '../support/services/deployment.ts';
import { me } from '../support/services/service.ts';

const limit = 65_536;

/** Bodies that no route expects, or that are refused before they have arrived. */
describe('a request body that is not read', () => {
  const running = deployment({ settings: { REQUEST_TIMEOUT_SECONDS: '5' } });
  const open = (method: string, path: string, ...lines: string[]) =>
    `${[`${method} ${path} HTTP/1.1`, 'host: a.example', ...lines].join('\r\n')}\r\n\r\n`;
  const chunked = 'transfer-encoding: chunked';
  const broken = 'zz\r\nhello\r\n0\r\n\r\n';
  const last = () => open('GET', '/.well-known/jwks.json', 'connection: close');

  it('[G183] a GET with a malformed chunked body gets one answer and its connection closes', async () => {
    const { service, provider } = running();
    const bearer = await provider.token();
    const token = `authorization: Bearer ${bearer}`;
    // The token is now remembered, so it is answered before the rest of the request is read.
    assert.equal((await withToken(service.url + me, bearer)).status, 200);
    for (const request of [
      ...[open('GET', me, token, chunked), open('GET', me, chunked), open('GET', '/nowhere', chunked)],
      ...[open('POST', me, chunked), open('DELETE', me, chunked), open('POST', '/nowhere', chunked)],
    ]) {
      const answer = await exchange(service.url, `${request}${broken}`);
      assert.equal(statuses(answer).length, 1, answer);
    }
    const [first] = statuses(await exchange(service.url, `${open('GET', me, token, chunked)}${broken}`));
    assert.equal(first, 200);
  });

  it('[G183] bytes behind a malformed body are never read as a request', async () => {
    const { service } = running();
    const answer = await exchange(service.url, `${open('GET', '/nowhere', chunked)}${broken}${last()}`);
    assert.deepEqual(statuses(answer), [404]);
  });

  it('a well-formed body is skipped, and the connection serves the next request', async () => {
    const { service } = running();
    const bodies = [
      ['content-length: 5', 'hello'],
      [`content-length: ${limit}`, 'x'.repeat(limit)],
      [chunked, '5\r\nhello\r\n0\r\n\r\n'],
    ] as const;
    for (const [line, body] of bodies)
      for (const [request, status] of [
        [open('GET', me, line), 403],
        [open('POST', '/nowhere', line), 404],
        [open('PATCH', me, line), 405],
        [open('GET', '/.well-known/jwks.json', line), 200],
      ] as const) {
        const answer = await exchange(service.url, `${request}${body}${last()}`);
        assert.deepEqual(statuses(answer), [status, 200], `${request}${line}`);
      }
  });

  it('an endless body closes the connection', async () => {
    const { service } = running();
    const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`;
    for (const request of [open('GET', me, chunked), open('POST', '/nowhere', chunked)]) {
      const answer = await exchange(service.url, `${request}${chunk.repeat(limit / 4096 + 1)}`);
      assert.equal(statuses(answer).length, 1, answer);
    }
  });

  it('a body with too large a Content-Length is refused before it comes, and the answer arrives', async () => {
    const { service } = running();
    const request = open('POST', '/token', 'content-type: application/json', `content-length: ${40 * limit}`);
    const reply = parseReply(await exchange(service.url, `${request}${' '.repeat(40 * limit)}`));
    assertProblem(reply, 'body_too_large');
    assert.equal(reply.headers.get('connection'), 'close');
  });

  it('a refused request with Expect gets no 100 Continue', async () => {
    const { service } = running();
    const expecting = (method: string, path: string, ...lines: string[]) =>
      open(method, path, 'expect: 100-continue', 'content-length: 40', 'connection: close', ...lines);
    for (const [request, status] of [
      [expecting('POST', '/nowhere'), 404],
      [expecting('PUT', '/token'), 405],
      [expecting('POST', '/token').replace('length: 40', `length: ${limit + 1}`), 413],
    ] as const)
      assert.deepEqual(statuses(await exchange(service.url, request)), [status], request);
    const json = 'content-type: application/json';
    const body = `{"client_id":"x","client_secret":"y"}   `;
    const answer = statuses(await exchange(service.url, `${expecting('POST', '/token', json)}${body}`));
    assert.deepEqual(answer, [100, 401]);
  });
});
