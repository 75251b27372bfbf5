import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { oneService } from '../support/one-service.ts';
import { until } from '../support/polling.ts';
import { head } from '../support/raw-http.ts';
import { withToken } from '../support/request.ts';
import { requestFrom } from '../support/request-from.ts';
import { me, type Settings } from '../support/service.ts';

/** Callers who keep their connections, and others who want one. */
function holders(settings: Settings) {
  const running = oneService({ SHUTDOWN_SECONDS: '1', ...settings });
  const held: Socket[] = [];
  after(() => {
    for (const socket of held) socket.destroy();
  });
  const hold = async (count: number, bytes: string, localAddress = '127.0.0.1'): Promise<Socket[]> => {
    const { hostname, port } = new URL(running().service.url);
    const sockets = Array.from({ length: count }, () => {
      const socket = connect({ host: hostname, port: Number(port), localAddress });
      socket.on('error', () => {});
      held.push(socket);
      if (bytes !== '') socket.write(bytes);
      return socket;
    });
    await Promise.all(sockets.map((socket) => once(socket, bytes === '' ? 'connect' : 'data')));
    return sockets;
  };
  return { running, hold };
}

/** However it closes: one that is cut off may be reset. */
const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));

const get = `GET ${me} HTTP/1.1\r\nhost: a.example\r\n\r\n`;

describe('an empty line now and then', () => {
  const { hold } = holders({ KEEP_ALIVE_SECONDS: '2' });

  it('is no request: the connection counts as idle from its last answer', { timeout: 30_000 }, async () => {
    const [socket] = (await hold(1, get)) as [Socket];
    const knock = setInterval(() => socket.write('\r\n'), 200).unref();
    await closed(socket);
    clearInterval(knock);
  });
});

describe('answers that nobody takes, and an empty line now and then', () => {
  const { hold } = holders({ REQUEST_TIMEOUT_SECONDS: '1' });
  const large = 'GET /openapi.json HTTP/1.1\r\nhost: a.example\r\n\r\n'.repeat(400);

  it('do not keep a connection', { timeout: 60_000 }, async () => {
    const [socket] = (await hold(1, large)) as [Socket];
    socket.pause();
    const knock = setInterval(() => socket.write('\r\n'), 300).unref();
    await closed(socket);
    clearInterval(knock);
  });
});

describe('as many connections as there may be, all of them idle', () => {
  const { running, hold } = holders({ MAX_CONNECTIONS: '100' });

  it('[G179] keep nobody out: the oldest idle one makes room', async () => {
    const sockets = await hold(100, get);
    const { service, provider } = running();
    const token = await provider.token();
    // Idle is what a look, once a second, has found so.
    await until(
      async () => (await withToken(service.url + me, token).catch(() => null))?.status,
      (status) => status === 200,
      'nobody else gets in',
    );
    await until(
      async () => sockets[0]?.closed,
      (closed) => closed === true,
      'the oldest connection is still open',
    );
    assert.equal(sockets.at(-1)?.closed, false);
  });
});

describe('as many connections as there may be, all of them at work', () => {
  const { running, hold } = holders({ MAX_CONNECTIONS: '10', REQUEST_TIMEOUT_SECONDS: '60' });
  const begun = head(
    'POST',
    '/token',
    'content-type: application/json',
    'content-length: 9',
    'expect: 100-continue',
  );

  it('[G179] a further one is closed, which a line of the log and a metric say', async () => {
    await hold(10, begun);
    const { service } = running();
    const { hostname, port } = new URL(service.url);
    const late = connect(Number(port), hostname);
    late.on('error', () => {});
    late.on('data', (chunk) => assert.fail(`answered with ${chunk}`));
    late.write(get);
    await closed(late);
    assert.match(await service.metrics(), /^vestibule_connections_refused_total\{reason="all"\} [1-9]/m);
    assert.match(await service.metrics(), /^vestibule_connections_open 10$/m);
    const lines = await until(
      async () => service.logLines().filter(({ msg }) => /connections refused/.test(String(msg))),
      ({ length }) => length > 0,
      'no line of the log says so',
    );
    assert.equal(lines.length, 1);
    assert.ok(Number(lines[0]?.all) >= 1);
  });
});

describe('as many connections as one address may have', () => {
  const { running, hold } = holders({ MAX_CONNECTIONS_PER_ADDRESS: '5', REQUEST_TIMEOUT_SECONDS: '60' });
  const begun = head(
    'POST',
    '/token',
    'content-type: application/json',
    'content-length: 9',
    'expect: 100-continue',
  );

  it('[G179] a further one from there is closed, and other addresses are served', async () => {
    await hold(5, begun, '127.0.0.5');
    const { service } = running();
    const from = (address: string) => requestFrom(address, `${service.url}/.well-known/jwks.json`);
    await assert.rejects(from('127.0.0.5'));
    assert.equal((await from('127.0.0.6')).status, 200);
    assert.match(await service.metrics(), /^vestibule_connections_refused_total\{reason="address"\} [1-9]/m);
  });
});

describe('as many connections as one address may have, from a trusted proxy', () => {
  const { running, hold } = holders({
    MAX_CONNECTIONS_PER_ADDRESS: '5',
    REQUEST_TIMEOUT_SECONDS: '60',
    TRUSTED_PROXIES: '127.0.0.5',
  });
  const begun = head(
    'POST',
    '/token',
    'x-forwarded-proto: https',
    'content-type: application/json',
    'content-length: 9',
    'expect: 100-continue',
  );

  it('do not bind it', async () => {
    const sockets = await hold(12, begun, '127.0.0.5');
    assert.equal(sockets.filter(({ closed }) => closed).length, 0);
    const [socket] = await hold(1, begun.replace('POST', 'PUT'), '127.0.0.5');
    assert.equal(socket?.closed, false);
    assert.doesNotMatch(
      await running().service.metrics(),
      /^vestibule_connections_refused_total\{.*\} [1-9]/m,
    );
  });
});
