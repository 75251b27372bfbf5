import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { withToken } from '../support/http/request.ts';
import { writeTlsFiles } from '../support/http/tls-files.ts';
import { until } from '../support/run/polling.ts';
import {
  me,
  newSettings,
  ownProcess,
  type Service,
  type Settings,
  startService,
} from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';

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
    const settings = await newSettings('sqlite', {
      ...ownProcess,
      ...provider.settings,
      ...overrides,
    });
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
