import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { answer, type PublicHandler, stream } from '../../src/base/handler.ts';
import { bytesOfAnswerInPieces, maxUnsentBytesPerAddress } from '../../src/http/body.ts';
import type { Route } from '../../src/http/routes.ts';
import { createServer } from '../../src/http/server.ts';
import type { Observe } from '../../src/ops/observe-requests.ts';
import { ApiCaller } from '../support/http/api-caller.ts';
import { bareServer } from '../support/http/bare-server.ts';
import { head } from '../support/http/raw-http.ts';
import { until } from '../support/run/polling.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';

/** Connections that take nothing of their answers until they are told to. */
function unread() {
  const held: Socket[] = [];
  after(() => {
    for (const socket of held) socket.destroy();
  });
  const ask = (port: number, bytes: string): Socket => {
    const socket = connect({ host: '127.0.0.1', port, localAddress: '127.0.0.5' });
    socket.on('error', () => {});
    held.push(socket);
    socket.pause();
    socket.write(bytes);
    return socket;
  };
  /** All that comes until the connection ends. */
  const readAll = async (socket: Socket): Promise<string> => {
    let text = '';
    socket.on('data', (piece) => {
      text += String(piece);
    });
    socket.resume();
    await new Promise((resolve) => socket.once('close', resolve));
    return text;
  };
  return { ask, readAll };
}

describe('exports that are not read', () => {
  const notes =
    'schema: { properties: { text: { type: string, maxLength: 60000 } } }\nlimits: { bytes: 65000, writes: 1000/min }';
  const running = deployment({ settings: { COLLECTIONS_DIR: declarationsFolder({ notes }) } });
  const { ask } = unread();

  it('an export whose reader hangs up is logged and counted as cut off', async () => {
    const { service, provider } = running();
    const token = await provider.token();
    const person = new ApiCaller(service.url, token);
    // More than the system keeps between two sockets.
    const text = 'x'.repeat(60_000);
    for (let count = 0; count < 120; count += 1)
      assert.equal((await person.send('POST', '/notes', { text })).status, 201);
    const bytes = head('GET', '/api/consumer/v1/me/export', `authorization: Bearer ${token}`);
    const socket = ask(Number(new URL(service.url).port), bytes);
    await once(socket, 'readable');
    socket.destroy();
    const line = await until(
      () => service.logLines().find(({ cut_off }) => cut_off === true),
      Boolean,
      'the log does not say that the export was cut off',
    );
    assert.deepEqual([line?.route, line?.status], ['/api/consumer/v1/me/export', 200]);
    assert.match(await service.metrics(), /http_requests_total\{[^}]*me\/export[^}]*status="499"\} 1/);
  });
});

describe('answers that are not read', () => {
  const { ask, readAll } = unread();
  const observed: Parameters<Observe>[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  // More than the system keeps between two sockets.
  const large = 'x'.repeat(maxUnsentBytesPerAddress / 2 + 1);
  async function* pieces() {
    yield 'begun';
    await released;
    yield 'ended';
  }
  const get = (path: string, handle: PublicHandler): Route => {
    return { method: 'GET', path, access: 'public', handle, describe: null, cors: false };
  };
  const { server } = createServer({
    ...bareServer,
    routes: [
      get('/pieces', () => stream('text/plain', pieces())),
      get('/large', () => answer('text/plain', large)),
    ],
    observe:
      () =>
      (...request) =>
        void observed.push(request),
  });
  before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  after(() => server.close());
  const open = (path: string) => ask((server.address() as AddressInfo).port, head('GET', path));

  it('[G188] the memory for answers in pieces to one address is limited: the newest is refused, and all others are whole', async () => {
    const begun: Socket[] = [];
    for (let count = 0; count < maxUnsentBytesPerAddress / bytesOfAnswerInPieces; count += 1) {
      const socket = open('/pieces');
      begun.push(socket);
      await once(socket, 'readable');
    }
    assert.match(await readAll(open('/pieces')), /^HTTP\/1.1 503 .*"overloaded"/s);
    release();
    for (const text of await Promise.all(begun.map(readAll))) assert.match(text, /begun.*ended/s);
    assert.match(await readAll(open('/pieces')), /begun.*ended/s);
  });

  it('[G188] the memory for whole answers to one address is limited: the oldest is cut off, and observed as that', async () => {
    observed.splice(0);
    const oldest = open('/large');
    await once(oldest, 'readable');
    const newest = open('/large');
    await once(newest, 'readable');
    assert.ok((await readAll(oldest)).length < large.length);
    assert.ok((await readAll(newest)).length >= large.length);
    await until(
      () => observed,
      ({ length }) => length === 2,
      'the second answer is not observed',
    );
    assert.deepEqual(
      observed.map(([, status, , , refusal, , isCutOff]) => [status, refusal?.code, isCutOff]),
      [
        [200, 'overloaded', true],
        [200, undefined, false],
      ],
    );
  });
});
