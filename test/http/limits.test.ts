import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { assertProblem } from '../support/answers.ts';
import { oneService } from '../support/one-service.ts';
import { head, parseReply, rawReply } from '../support/raw-http.ts';
import { request } from '../support/request.ts';
import { addClient, me } from '../support/service.ts';
import { credentialsBody, postToken } from '../support/token-endpoint.ts';

const bodyBytes = 65_536;
const headerBytes = 16_384;

describe('sizes', () => {
  let secret = '';
  const running = oneService({}, async (settings) => {
    secret = await addClient(settings, 'caller');
  });
  const url = () => running().service.url;
  const paddedTo = (size: number) => credentialsBody({ id: 'caller', secret }).padEnd(size, ' ');
  const json = 'content-type: application/json';

  it('a body of exactly the limit is read, and one byte more is answered with 413', async () => {
    assert.equal((await postToken(url(), paddedTo(bodyBytes))).status, 200);
    const reply = await postToken(url(), paddedTo(bodyBytes + 1));
    assertProblem(reply, 'body_too_large');
    assert.equal(reply.headers.get('connection'), 'close');
  });

  it('a body that only says it is too large is refused before it comes', async () => {
    const announced = head('POST', '/token', json, `content-length: ${bodyBytes + 1}`);
    assertProblem(await rawReply(url(), announced), 'body_too_large');
  });

  it('a chunked body is counted as it comes', async () => {
    const start = head('POST', '/token', json, 'transfer-encoding: chunked');
    const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
    const fits = await rawReply(url(), `${start}${chunk(paddedTo(bodyBytes))}0\r\n\r\n`);
    assert.match(fits.text, /"token_type":"Bearer"/);
    const endless = chunk(' '.repeat(1024)).repeat(bodyBytes / 1024 + 1);
    assertProblem(await rawReply(url(), `${start}${endless}`), 'body_too_large');
  });

  it('headers up to the limit are read, and larger ones are answered with 431', async () => {
    const { provider } = running();
    const token = `authorization: Bearer ${await provider.token()}`;
    const almost = headerBytes - head('GET', me, token, 'x-pad: ').length - 64;
    const fits = await rawReply(url(), head('GET', me, token, `x-pad: ${'x'.repeat(almost)}`));
    assert.equal(fits.status, 200);
    for (const size of [headerBytes, headerBytes * 2]) {
      assertProblem(
        await rawReply(url(), head('GET', me, `x-pad: ${'x'.repeat(size)}`)),
        'headers_too_large',
      );
    }
    assertProblem(await rawReply(url(), head('GET', `/${'x'.repeat(headerBytes)}`)), 'headers_too_large');
  });
});

describe('times', () => {
  const running = oneService({ HEADERS_TIMEOUT_SECONDS: '1', REQUEST_TIMEOUT_SECONDS: '1' });

  /** Sends a beginning and waits for whatever the service does about it. */
  async function begin(bytes: string): Promise<string> {
    const { hostname, port } = new URL(running().service.url);
    const socket: Socket = connect(Number(port), hostname);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    socket.write(bytes);
    await once(socket, 'close');
    return received;
  }

  it('headers that do not end are answered with 408, and the connection closes', async () => {
    const reply = parseReply(await begin(`GET ${me} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: `));
    assertProblem(reply, 'request_timeout');
    assert.equal(reply.headers.get('connection'), 'close');
  });

  it('a body that does not end is answered with 408, and the connection closes', async () => {
    const start = head('POST', '/token', 'content-type: application/json', 'content-length: 100');
    assertProblem(parseReply(await begin(`${start}{"client_id"`)), 'request_timeout');
  });

  it('a connection that sends nothing is closed', async () => {
    const answer = await begin('');
    if (answer !== '') assertProblem(parseReply(answer), 'request_timeout');
  });

  it('a request in time is answered meanwhile', async () => {
    const { service, provider } = running();
    const slow = begin(`GET ${me} HTTP/1.1\r\n`);
    const headers = { authorization: `Bearer ${await provider.token()}` };
    assert.equal((await request(`${service.url}${me}`, { headers })).status, 200);
    await slow;
  });
});
