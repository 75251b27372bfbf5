import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, BlockList, connect, type Socket } from 'node:net';
import { before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Connections } from '../../src/http/connections.ts';
import { connectionLimits } from '../../src/http/limits.ts';
import { assertProblem } from '../support/http/answers.ts';
import { ApiCaller } from '../support/http/api-caller.ts';
import { head, parseReply, rawReply, statuses } from '../support/http/raw-http.ts';
import { request } from '../support/http/request.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';
import { me } from '../support/services/service.ts';

const headerBytes = 16_384;

describe('size limits', () => {
  const running = deployment();
  const url = () => running().service.url;

  it('[G182] headers up to the limit are read, and larger ones get 431', async () => {
    const { provider } = running();
    const token = `authorization: Bearer ${await provider.token()}`;
    const almost = headerBytes - head('GET', me, token, 'x-pad: ').length - 64;
    const fits = await rawReply(url(), head('GET', me, token, `x-pad: ${'x'.repeat(almost)}`));
    assert.equal(fits.status, 200);
    for (const size of [headerBytes, headerBytes * 2])
      assertProblem(await rawReply(url(), head('GET', me, 'x-pad: '.padEnd(size, 'x'))), 'headers_too_large');

    assertProblem(await rawReply(url(), head('GET', `/${'x'.repeat(headerBytes)}`)), 'headers_too_large');
  });
});

describe('request timeouts', { concurrency: true }, () => {
  const running = deployment({ settings: { REQUEST_TIMEOUT_SECONDS: '1' } });

  /** Sends the beginning of a request and waits until the connection closes. */
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

  it('[G177] unfinished headers get 408, and the connection closes', async () => {
    const reply = parseReply(await begin(`GET ${me} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: `));
    assertProblem(reply, 'request_timeout');
    assert.equal(reply.headers.get('connection'), 'close');
  });

  it('[G178] an unfinished body gets 408', async () => {
    const start = head('POST', '/token', 'content-type: application/json', 'content-length: 100');
    assertProblem(parseReply(await begin(`${start}{"client_id"`)), 'request_timeout');
  });

  it('a connection that sends nothing is closed', async () => {
    const answer = await begin('');
    if (answer !== '') assertProblem(parseReply(answer), 'request_timeout');
  });

  it('a fast request is answered while a slow one is pending', async () => {
    const { service, provider } = running();
    const slow = begin(`GET ${me} HTTP/1.1\r\n`);
    const headers = { authorization: `Bearer ${await provider.token()}` };
    assert.equal((await request(`${service.url}${me}`, { headers })).status, 200);
    await slow;
  });
});

describe('connections', { concurrency: true }, () => {
  const blobs =
    'schema: { properties: { text: { type: string, maxLength: 60000 } } }\nlimits: { per_user: 1000, bytes: 65536, writes: 1000/min }';
  const running = deployment({
    settings: {
      KEEP_ALIVE_SECONDS: '1',
      REQUEST_TIMEOUT_SECONDS: '1',
      COLLECTIONS_DIR: declarationsFolder({ blobs }),
    },
  });
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`;
  /** A request whose answer is larger than the socket buffers. */
  let large = '';
  before(async () => {
    const { service, provider } = running();
    const caller = new ApiCaller(service.url, await provider.token());
    for (let count = 0; count < 250; count += 1) await caller.make('blobs', { text: 'x'.repeat(60_000) });
    large = head('GET', `${me}/export`, `authorization: Bearer ${caller.token}`);
  });

  /** Opens a connection; `read` returns all bytes that arrive. */
  function open(bytes: string) {
    const { hostname, port } = new URL(running().service.url);
    const socket = connect(Number(port), hostname);
    const read = async () => {
      let received = '';
      for await (const chunk of socket) received += chunk.toString('latin1');
      return received;
    };
    // A closed connection may be reset.
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => {});
    socket.write(bytes);
    return { socket, read, closed };
  }

  it('an idle connection announces its keep-alive timeout and is closed after it', {
    timeout: 30_000,
  }, async () => {
    const { socket, closed } = open(get(me));
    const [first] = await once(socket, 'data');
    const reply = parseReply(String(first));
    const kept = [reply.headers.get('connection'), reply.headers.get('keep-alive')];
    assert.deepEqual(kept, ['keep-alive', 'timeout=1']);
    socket.write(get(me));
    await once(socket, 'data');
    await closed;
  });

  it('an idle connection is not closed before its timeout', async (t) => {
    const keepAliveSeconds = 5;
    const connections = new Connections({
      ...connectionLimits({
        maxBodyBytes: 1,
        maxConnections: 1,
        maxConnectionsPerAddress: 1,
        requestTimeoutSeconds: 1,
        keepAliveSeconds,
      }),
      trustedProxies: new BlockList(),
      onRefused: () => {},
    });
    let answered: Promise<unknown> = Promise.resolve();
    const server = createServer({ keepAliveTimeout: 0 }, ({ socket }, response) => {
      answered = once(response, 'close');
      connections.begin(socket, response, () => response.end());
    });
    const accepted = new Promise<Socket>((resolve) => server.on('connection', resolve));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    t.after(() => {
      socket.destroy();
      server.close();
    });
    const atService = await accepted;
    connections.accept(atService);
    connections.open(atService);
    let now = performance.now();
    for (const _ of ['first', 'second']) {
      socket.write(get(me));
      await once(socket, 'data');
      await answered;
      connections.sweep(now);
      now += keepAliveSeconds * 1000 - 1;
      connections.sweep(now);
      assert.equal(atService.destroyed, false);
    }
    connections.sweep(now + 1);
    assert.equal(atService.destroyed, true);
  });

  it('"Connection: close" from the caller gets no Keep-Alive header', async () => {
    const { headers } = await rawReply(running().service.url, head('GET', me));
    assert.deepEqual([headers.get('connection'), headers.get('keep-alive')], ['close', null]);
  });

  it('a connection with a slowly read answer is not closed as idle', async () => {
    const { socket, read } = open(large);
    await once(socket, 'readable');
    await delay(3_500);
    const answer = await read();
    assert.deepEqual(statuses(answer), [200]);
    assert.ok(answer.endsWith('0\r\n\r\n'), 'the answer is incomplete');
  });

  it('[G178] a connection whose caller stops reading is closed', { timeout: 60_000 }, async () => {
    const { socket, closed } = open(large);
    await once(socket, 'readable');
    // A client that does not read notices a closed connection only when it sends.
    const knock = setInterval(() => socket.write('\r\n'), 500);
    await closed;
    clearInterval(knock);
    assert.equal((await request(`${running().service.url}/openapi.json`)).status, 200);
  });
});
