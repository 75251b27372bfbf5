import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { head } from '../support/http/raw-http.ts';
import { request, requestFrom, withToken } from '../support/http/request.ts';
import { writeTlsFiles } from '../support/http/tls-files.ts';
import { until } from '../support/run/polling.ts';
import { deployment } from '../support/services/deployment.ts';
import {
  me,
  newSettings,
  ownProcess,
  type Service,
  type Settings,
  startService,
  startThrough,
} from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import { credentialsBody, postToken } from '../support/tokens/token-endpoint.ts';

/** Callers who keep their connections, and others who need one. */
function holders(settings: Settings) {
  const held: Socket[] = [];
  // Closed before the service stops, which would wait for them.
  after(() => {
    for (const socket of held) socket.destroy();
  });
  const running = deployment({ settings });
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

/** Settles however the connection closes; it may be reset. */
const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));

const get = `GET ${me} HTTP/1.1\r\nhost: a.example\r\n\r\n`;

describe('a connection that sends empty lines', () => {
  const { hold } = holders({ KEEP_ALIVE_SECONDS: '2' });

  it('is still idle from its last answer on', { timeout: 30_000 }, async () => {
    const [socket] = (await hold(1, get)) as [Socket];
    const knock = setInterval(() => socket.write('\r\n'), 200).unref();
    await closed(socket);
    clearInterval(knock);
  });
});

describe('at the connection limit with only idle connections', () => {
  const { running, hold } = holders({ MAX_CONNECTIONS: '100' });

  it('[G179] new connections are accepted; the oldest idle one is closed', async () => {
    const sockets = await hold(100, get);
    const { service, provider } = running();
    const token = await provider.token();
    // The service looks for idle connections once a second.
    const status = async () => (await withToken(service.url + me, token).catch(() => null))?.status;
    await until(status, (status) => status === 200, 'nobody else gets in');
    const isClosed = async () => sockets[0]?.closed;
    await until(isClosed, (closed) => closed === true, 'the oldest connection is still open');
    assert.equal(sockets.at(-1)?.closed, false);
  });
});

/** A request whose answer does not end. */
const stream = (token: string) =>
  `GET ${me.replace('/me', '/events')} HTTP/1.1\r\nhost: a\r\naccept: text/event-stream\r\nauthorization: Bearer ${token}\r\n\r\n`;

describe('at the connection limit with only busy connections', () => {
  const { running, hold } = holders({ MAX_CONNECTIONS: '10' });

  it('[G179] a further connection is closed, which the log and a metric report', async () => {
    const { service, provider } = running();
    for (const sub of ['one', 'other']) await hold(5, stream(await provider.token({ sub })));
    const { hostname, port } = new URL(service.url);
    const late = connect(Number(port), hostname);
    late.on('error', () => {});
    late.on('data', (chunk) => assert.fail(`answered with ${chunk}`));
    late.write(get);
    await closed(late);
    assert.match(await service.metrics(), /^vestibule_connections_refused_total\{reason="all"\} [1-9]/m);
    assert.match(await service.metrics(), /^vestibule_connections_open 10$/m);
    const refusals = async () =>
      service.logLines().filter(({ msg }) => /connections refused/.test(String(msg)));
    const lines = await until(refusals, ({ length }) => length > 0, 'no line of the log says so');
    assert.equal(lines.length, 1);
    assert.ok(lines[0]?.reason === 'all' && Number(lines[0]?.connections) >= 1);
  });
});

describe('more connections than file descriptors', () => {
  it('[F169] are not accepted and logged; callers and probes are served', async (t) => {
    const provider = await TestProvider.start();
    t.after(() => provider.stop());
    const settings = await newSettings('sqlite', { ...provider.settings, ...ownProcess });
    const service = await startThrough(['prlimit', '--nofile=256:256'], settings);
    t.after(() => service.stop());
    const { hostname, port } = new URL(service.url);
    const held = Array.from({ length: 300 }, () => connect(Number(port), hostname).on('error', () => {}));
    await Promise.all(held.map((socket) => Promise.race([once(socket, 'connect'), closed(socket)])));
    assert.equal((await withToken(service.url + me, await provider.token())).status, 200);
    assert.equal((await request(`${service.opsUrl}/readyz`)).status, 200);
    assert.match(await service.metrics(), /^vestibule_connections_refused_total\{reason="all"\} [1-9]/m);
    for (const socket of held) socket.destroy();
    const warnings = service.logLines().filter(({ level }) => Number(level) >= 40);
    assert.equal(warnings.filter(({ open_files }) => open_files === 256).length, 1);
    assert.ok(warnings.every(({ level }) => Number(level) < 50));
  });
});

const begun = head(
  'POST',
  '/token',
  'content-type: application/json',
  'content-length: 9',
  'expect: 100-continue',
);

describe('at the connection limit with only unfinished requests', () => {
  const { running, hold } = holders({ MAX_CONNECTIONS: '20', REQUEST_TIMEOUT_SECONDS: '60' });

  it('[G189] new connections are accepted; the oldest unfinished request is closed', async () => {
    const { service, provider } = running();
    const token = await provider.token();
    const sockets = await hold(20, begun, '127.0.0.5');
    for (let count = 0; count < 10; count += 1)
      assert.equal(
        (await requestFrom('127.0.0.6', service.url + me, { authorization: `Bearer ${token}` })).status,
        200,
      );
    assert.equal(sockets[0]?.closed, true);
    assert.equal(sockets.at(-1)?.closed, false);
  });
});

describe('at the connection limit per address', () => {
  const { running, hold } = holders({ MAX_CONNECTIONS_PER_ADDRESS: '5' });

  it('[G179] a further connection of that address is closed; other addresses are served', async () => {
    const { service, provider } = running();
    await hold(5, stream(await provider.token()), '127.0.0.5');
    const from = (address: string) => requestFrom(address, `${service.url}/.well-known/jwks.json`);
    await assert.rejects(from('127.0.0.5'));
    assert.equal((await from('127.0.0.6')).status, 200);
    assert.match(await service.metrics(), /^vestibule_connections_refused_total\{reason="address"\} [1-9]/m);
  });
});

describe('at the connection limit and the limit per address', () => {
  const { hold } = holders({ MAX_CONNECTIONS: '10', MAX_CONNECTIONS_PER_ADDRESS: '5' });

  it('[G179] further connections of that address close its own idle ones, not those of others', async () => {
    const others = await hold(5, get, '127.0.0.6');
    const first = await hold(5, get, '127.0.0.5');
    const next = await hold(5, get, '127.0.0.5');
    await Promise.all(first.map((socket) => socket.closed || closed(socket)));
    assert.ok([...others, ...next].every((socket) => !socket.closed));
  });
});

describe('a trusted proxy with more connections than the limit per address', () => {
  const { running, hold } = holders({
    MAX_CONNECTIONS_PER_ADDRESS: '5',
    REQUEST_TIMEOUT_SECONDS: '60',
    TRUSTED_PROXIES: '127.0.0.5',
  });
  const forwarded = begun.replace('host:', 'x-forwarded-proto: https\r\nhost:');

  it('is not limited', async () => {
    const sockets = await hold(12, forwarded, '127.0.0.5');
    assert.equal(sockets.filter(({ closed }) => closed).length, 0);
    const [socket] = await hold(1, forwarded.replace('POST', 'PUT'), '127.0.0.5');
    assert.equal(socket?.closed, false);
    const metrics = await running().service.metrics();
    assert.doesNotMatch(metrics, /^vestibule_connections_refused_total\{.*\} [1-9]/m);
  });
});

describe('unfinished bodies of several addresses', () => {
  const { running, hold } = holders({ MAX_CONNECTIONS_PER_ADDRESS: '10000', REQUEST_TIMEOUT_SECONDS: '60' });
  // One byte less than a buffer of the parser: four addresses fill the memory for bodies.
  const size = 65_535;
  const unfinished = head('POST', '/token', 'content-type: application/json', `content-length: ${size + 1}`);

  it('[G189] do not use up the memory for bodies of other addresses', async () => {
    const { service } = running();
    // 67 MB in all; a body that is given up gets an answer.
    for (const address of ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5'])
      await Promise.race([hold(280, unfinished + 'x'.repeat(size), address), hold(280, '', address)]);
    for (let count = 0; count < 10; count += 1)
      assert.equal((await postToken(service.url, credentialsBody({ id: 'a', secret: 'b' }))).status, 401);
  });
});

/** Clients that hold on to their connections, and a service that must neither starve nor hang because of them. */
describe('connections that stay open', { concurrency: true }, () => {
  let provider: TestProvider;
  const held: Socket[] = [];
  const services: Service[] = [];
  before(async () => {
    provider = await TestProvider.start();
  });
  after(async () => {
    for (const socket of held) socket.destroy();
    await Promise.all(services.map((service) => service.stop()));
    await provider.stop();
  });

  const start = async (overrides: Settings) => {
    const settings = await newSettings('sqlite', { ...ownProcess, ...provider.settings, ...overrides });
    const service = await startService(settings);
    services.push(service);
    return service;
  };

  /** Sends something and never closes its own side. */
  const hold = async (url: string, bytes: string): Promise<Socket> => {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.on('error', () => {});
    held.push(socket);
    await once(socket, 'connect');
    if (bytes !== '') socket.write(bytes);
    return socket;
  };

  const endsWell = async (service: Service) => {
    const ended = once(service.process, 'exit');
    service.process.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
  };

  it('[G185] CONNECT requests are answered and take no place of others', async () => {
    const service = await start({ MAX_CONNECTIONS: '10' });
    const sockets = await Promise.all(
      Array.from({ length: 10 }, () => hold(service.url, 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n')),
    );
    const answers = await Promise.all(sockets.map(async (socket) => String(await once(socket, 'data'))));
    for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/);
    await Promise.all(sockets.map((socket) => socket.readableEnded || once(socket, 'end')));
    assert.equal((await withToken(`${service.url}${me}`, await provider.token())).status, 200);
  });

  it('[G181] CONNECT requests and garbage followed by a reset do not harm others', async () => {
    const service = await start({});
    const heads = ['CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 'rubbish\r\n\r\n', 'GET / HTTP/1.1\r\nHost'];
    for (const url of [service.url, service.opsUrl]) {
      for (let count = 0; count < 90; count += 1) {
        const socket = await hold(url, heads[count % heads.length] as string);
        await new Promise<void>((resolve) => setImmediate(resolve));
        socket.resetAndDestroy();
      }
    }
    assert.equal((await withToken(`${service.url}${me}`, await provider.token())).status, 200);
    await endsWell(service);
  });

  it('a CONNECT request does not delay the exit', async () => {
    const service = await start({});
    const socket = await hold(service.url, 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'data');
    await endsWell(service);
  });

  it('an unfinished request on the ops port does not delay the exit', async () => {
    const service = await start({});
    await hold(service.opsUrl, 'GET /livez HTTP/1.1\r\nHost: a\r\n');
    await endsWell(service);
  });

  it('[G188] unfinished TLS handshakes are closed at their timeout', async () => {
    const { TEST_DIRECTORY: directory } = await newSettings('sqlite', {});
    const tls = await writeTlsFiles(String(directory));
    const service = await start({
      TLS_CERT_FILE: tls.certificateFile,
      TLS_KEY_FILE: tls.keyFile,
      REQUEST_TIMEOUT_SECONDS: '1',
    });
    // Silent, the beginning of a hello, and no TLS at all.
    const sockets = await Promise.all(
      ['', '\x16\x03\x01\x02\x00\x01\x00', 'GET / HTTP/1.1\r\n\r\n']
        .flatMap((bytes) => Array<string>(30).fill(bytes))
        .map((bytes) => hold(service.url, bytes)),
    );
    // Some vanish during the handshake; the others stay.
    for (const [index, socket] of sockets.entries()) if (index % 3 === 0) socket.resetAndDestroy();
    const connections = async () =>
      Number(/^vestibule_connections_open (\S+)/m.exec(await service.metrics())?.[1]);
    await until(connections, (count) => count === 0, 'some connections are still open', 30_000);
    const descriptors = () => readdirSync(`/proc/${service.process.pid}/fd`).length;
    await until(descriptors, (count) => count < 60, 'some descriptors are still open');
    tls.remove();
  });

  it('a silent connection on the TLS port does not delay the exit', async () => {
    const { TEST_DIRECTORY: directory } = await newSettings('sqlite', {});
    const tls = await writeTlsFiles(String(directory));
    const service = await start({ TLS_CERT_FILE: tls.certificateFile, TLS_KEY_FILE: tls.keyFile });
    await hold(service.url, '');
    await endsWell(service);
    tls.remove();
  });
});
