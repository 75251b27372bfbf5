import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import {
  bytesOfAnswerInPieces,
  maxUnsentBytesPerAddress,
  UnsentAnswers,
} from '../../src/http/byte-budget.ts';
import { ApiCaller } from '../support/api-caller.ts';
import { declarationsFolder } from '../support/declared-processes.ts';
import { oneService } from '../support/one-service.ts';
import { head } from '../support/raw-http.ts';

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
  const running = oneService({ COLLECTIONS_DIR: declarationsFolder({ notes }) });
  const { ask, readAll } = unread();

  it('[G188] the memory for exports of one address is limited: the oldest is cut off', async () => {
    const { service, provider } = running();
    const token = await provider.token();
    const person = new ApiCaller(service.url, token);
    // More than the system keeps between two sockets.
    const text = 'x'.repeat(60_000);
    for (let count = 0; count < 120; count += 1)
      assert.equal((await person.send('POST', '/notes', { text })).status, 201);
    const bytes = head('GET', '/api/consumer/v1/me/export', `authorization: Bearer ${token}`);
    const port = Number(new URL(service.url).port);
    const sockets: Socket[] = [];
    for (let count = 0; count <= maxUnsentBytesPerAddress / bytesOfAnswerInPieces; count += 1) {
      const socket = ask(port, bytes);
      sockets.push(socket);
      await once(socket, 'readable');
    }
    const [oldest, next] = sockets as [Socket, Socket];
    assert.doesNotMatch(await readAll(oldest), /"type":"end"/);
    assert.match(await readAll(next), /"type":"end"/);
    assert.equal((await person.get('/me')).status, 200);
  });
});

describe('whole answers that are not read', () => {
  const { ask, readAll } = unread();

  it('[G188] the memory for answers of one address is limited: the oldest is cut off', async () => {
    // More than the system keeps between two sockets.
    const text = 'x'.repeat(maxUnsentBytesPerAddress / 2);
    const unsent = new UnsentAnswers();
    const begun: ServerResponse[] = [];
    const server = createServer((_request, response) => {
      begun.push(response);
      response.end(text);
      unsent.hold(response, text.length, () => '127.0.0.5');
      server.emit('answered');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    after(() => server.close());
    const sockets: Socket[] = [];
    for (let count = 0; count < 3; count += 1) {
      sockets.push(ask((server.address() as AddressInfo).port, head('GET', '/')));
      await once(server, 'answered');
    }
    assert.deepEqual(
      begun.map(({ destroyed }) => destroyed),
      [true, false, false],
    );
    const lengths = (await Promise.all(sockets.map(readAll))).map((read) => read.length >= text.length);
    assert.deepEqual(lengths, [false, true, true]);
  });
});
