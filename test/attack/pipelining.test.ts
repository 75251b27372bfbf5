import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { maxRefusalsPerConnection } from '../../src/http/connections.ts';
import { ApiCaller } from '../support/http/api-caller.ts';
import { exchange, statuses } from '../support/http/raw-http.ts';
import { requestFrom } from '../support/http/request.ts';
import { RawConnection } from '../support/load/raw-connection.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';
import { me } from '../support/services/service.ts';

const notes = 'schema: { properties: { text: { type: string, maxLength: 50 } } }';

describe('pipelined requests on one connection', () => {
  const running = deployment({ settings: { COLLECTIONS_DIR: declarationsFolder({ notes }) } });
  const held: Socket[] = [];
  after(() => {
    for (const socket of held) socket.destroy();
  });
  const request = (method: string, path: string, body = '', ...lines: string[]) => {
    const about = body === '' ? [] : ['content-type: application/json', `content-length: ${body.length}`];
    return `${[`${method} ${path} HTTP/1.1`, 'host: a', ...about, ...lines].join('\r\n')}\r\n\r\n${body}`;
  };
  const keys = request('GET', '/.well-known/jwks.json');
  const rubbish = '\x01\r\n\r\n';
  const whoAmI = (token: string) => request('GET', me, '', `authorization: Bearer ${token}`);
  const note = (token: string) =>
    request('POST', '/api/consumer/v1/notes', '{"text":"x"}', `authorization: Bearer ${token}`);
  const stream = (token: string) => {
    const lines = [`authorization: Bearer ${token}`, 'accept: text/event-stream'];
    return request('GET', '/api/consumer/v1/events', '', ...lines);
  };
  const open = async (localAddress: string): Promise<Socket> => {
    const { hostname, port } = new URL(running().service.url);
    const socket = connect({ host: hostname, port: Number(port), localAddress });
    socket.on('error', () => {});
    held.push(socket);
    await once(socket, 'connect');
    return socket;
  };

  it('a request behind an unfinished answer is not served; the connection closes', async () => {
    const { service, provider } = running();
    for (const behind of [keys, whoAmI(await provider.token()), keys.repeat(5), rubbish]) {
      const answer = await exchange(service.url, whoAmI(await provider.token()) + behind);
      assert.deepEqual(statuses(answer), [200], answer);
      assert.match(answer, /\r\nconnection: close\r\n/i);
    }
  });

  it('only the first of several pipelined writes is done; one longer than its Content-Length is not', async () => {
    const { service, provider } = running();
    const token = await provider.token({ sub: 'somebody who pipelines' });
    const person = new ApiCaller(service.url, token);
    assert.deepEqual(statuses(await exchange(service.url, note(token).repeat(3))), [201]);
    assert.equal((await person.all('notes')).length, 1);
    const long = note(token).replace('host: a', 'host: a\r\nconnection: close');
    assert.deepEqual(statuses(await exchange(service.url, `${long}x`)), [400]);
    assert.equal((await person.all('notes')).length, 1);
  });

  it('[G181] thousands of pipelined requests over many connections do not delay others', async () => {
    const { service } = running();
    for (let count = 0; count < 20; count += 1) {
      const socket = await open('127.0.0.2');
      socket.pause();
      socket.write(request('GET', '/openapi.json').repeat(1_200));
    }
    for (const address of ['127.0.0.1', '127.0.0.2'])
      assert.equal((await requestFrom(address, `${service.url}/.well-known/jwks.json`)).status, 200);
  });

  it('[G188] bytes behind an unfinished answer are not read; others at that address are served', async () => {
    const { service, provider } = running();
    const token = await provider.token();
    const total = 64 * 1024 * 1024;
    for (const piece of [rubbish, keys]) {
      const socket = await open('127.0.0.5');
      socket.write(stream(token));
      await once(socket, 'data');
      socket.write(Buffer.alloc(total, piece));
      const headers = { authorization: `Bearer ${token}` };
      for (let count = 0; count < 20; count += 1)
        assert.equal((await requestFrom('127.0.0.5', service.url + me, headers)).status, 200);
      // What the system keeps between two sockets is some megabytes.
      const taken = socket.destroyed ? 0 : socket.bytesWritten - socket.writableLength;
      assert.ok(taken < total / 2, `${taken} bytes were taken`);
    }
  });

  it('a connection is closed after a hundred refusals', async () => {
    const { service } = running();
    const closed = Promise.withResolvers<number>();
    let answers = 0;
    const connection = await RawConnection.open(service.url, '127.0.0.6', () => {
      answers += 1;
      connection.send(whoAmI('abc'));
    });
    connection.socket.once('close', () => closed.resolve(answers));
    connection.send(whoAmI('abc'));
    assert.equal(await closed.promise, maxRefusalsPerConnection);
  });

  it('[G181] a pipelined CONNECT followed by a reset does not end the process', async () => {
    const { service, provider } = running();
    const token = await provider.token();
    for (let count = 0; count < 10; count += 1) {
      const socket = await open('127.0.0.7');
      socket.write(stream(token) + request('CONNECT', 'a:1'));
      await Promise.race([once(socket, 'data'), once(socket, 'close')]);
      socket.resetAndDestroy();
      assert.deepEqual(statuses(await exchange(service.url, whoAmI(token) + rubbish)), [200]);
    }
  });

  it('a request behind an Upgrade request is not answered in its place', async () => {
    const { service } = running();
    const upgrade = request('GET', '/nowhere', '', 'connection: upgrade', 'upgrade: websocket');
    const answer = await exchange(service.url, upgrade + keys);
    assert.deepEqual(statuses(answer), [404]);
    assert.match(answer, /\r\nconnection: close\r\n/i);
  });

  it('an unmet Expect gets one answer with one Connection header', async () => {
    const { service } = running();
    const expecting = request('POST', '/nowhere', '', 'expect: 100-continue', 'content-length: 5');
    const answer = await exchange(service.url, expecting);
    assert.deepEqual(statuses(answer), [404]);
    assert.match(answer, /\r\nconnection: close\r\n/i);
    assert.doesNotMatch(answer, /keep-alive/i);
  });
});
