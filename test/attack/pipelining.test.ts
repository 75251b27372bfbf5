import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { mostTurnedAway } from '../../src/http/connections.ts';
import { openMany, RawConnection } from '../overload/raw-connection.ts';
import { ApiCaller } from '../support/api-caller.ts';
import { declarationsFolder } from '../support/declared-processes.ts';
import { oneService } from '../support/one-service.ts';
import { until } from '../support/polling.ts';
import { exchange, statuses } from '../support/raw-http.ts';
import { withToken } from '../support/request.ts';
import { requestFrom } from '../support/request-from.ts';
import { me } from '../support/service.ts';

const notes = 'schema: { properties: { text: { type: string, maxLength: 50 } } }';

/** Many requests in one packet. */
describe('requests that come before the one ahead of them is answered', () => {
  const running = oneService({ COLLECTIONS_DIR: declarationsFolder({ notes }) });
  const held: Socket[] = [];
  after(() => {
    for (const socket of held) socket.destroy();
  });
  const request = (method: string, path: string, body = '', ...lines: string[]) => {
    const about = body === '' ? [] : ['content-type: application/json', `content-length: ${body.length}`];
    return `${[`${method} ${path} HTTP/1.1`, 'host: a', ...about, ...lines].join('\r\n')}\r\n\r\n${body}`;
  };
  const keys = request('GET', '/.well-known/jwks.json');
  const last = request('GET', '/.well-known/jwks.json', '', 'connection: close');
  const rubbish = '\x01\r\n\r\n';
  const note = (token: string) =>
    request('POST', '/api/consumer/v1/notes', '{"text":"x"}', `authorization: Bearer ${token}`);

  it('are each answered, in their order, and what breaks the connection is answered last', async () => {
    const { service, provider } = running();
    const [fresh, known] = [await provider.token(), await provider.token()];
    await withToken(service.url + me, known);
    const whoAmI = (token: string) => request('GET', me, '', `authorization: Bearer ${token}`);
    for (const [sent, expected] of [
      [keys.repeat(4), [200, 200, 200, 200]],
      [request('GET', me).repeat(2), [403, 403]],
      [whoAmI(known).repeat(3), [200, 200, 200]],
      [whoAmI(fresh) + keys + request('GET', '/nowhere'), [200, 200, 404]],
    ] as const) {
      const answer = await exchange(service.url, sent + rubbish);
      assert.deepEqual(statuses(answer), [...expected, 400], answer);
      assert.deepEqual(statuses(await exchange(service.url, sent + last)), [...expected, 200]);
    }
    const broken = request('POST', '/token', '', 'transfer-encoding: chunked');
    assert.deepEqual(statuses(await exchange(service.url, `${keys}${keys}${broken}zz\r\n`)), [200, 200, 400]);
  });

  it('that write are told so when they have, and not begun when they were longer than they said', async () => {
    const { service, provider } = running();
    const token = await provider.token({ sub: 'somebody who pipelines' });
    const person = new ApiCaller(service.url, token);
    const answer = await exchange(service.url, note(token) + note(token) + rubbish);
    assert.deepEqual(statuses(answer), [201, 201, 400]);
    assert.equal((await person.all('notes')).length, 2);
    const long = note(token).replace('host: a', 'host: a\r\nconnection: close');
    assert.deepEqual(statuses(await exchange(service.url, `${long}x`)), [400]);
    assert.equal((await person.all('notes')).length, 2);
  });

  it('[G181] by the thousand from one address keep nobody else waiting for long', async () => {
    const { service } = running();
    const { hostname, port } = new URL(service.url);
    const flood = request('GET', '/openapi.json').repeat(1_200);
    for (let count = 0; count < 20; count += 1) {
      const socket = connect({ host: hostname, port: Number(port), localAddress: '127.0.0.2' });
      socket.on('error', () => {});
      held.push(socket);
      await once(socket, 'connect');
      // Nobody reads the answers.
      socket.pause();
      socket.write(flood);
    }
    assert.equal((await requestFrom('127.0.0.1', `${service.url}/.well-known/jwks.json`)).status, 200);
    const resident = Number(/^process_resident_memory_bytes (\S+)/m.exec(await service.metrics())?.[1]) / 1e6;
    assert.ok(resident < 350, `${Math.round(resident)} MB`);
  });

  it('[G181] by the thousand over many connections of one address are all answered, again and again', async () => {
    const { service, provider } = running();
    const token = await provider.token();
    const [connections, together] = [50, 50];
    const answers = Array<number>(connections).fill(0);
    const all = await openMany(connections, (index) =>
      RawConnection.open(service.url, '127.0.0.4', () => {
        answers[index] = Number(answers[index]) + 1;
      }),
    );
    held.push(...all.map(({ socket }) => socket));
    const whoAmI = request('GET', me, '', `authorization: Bearer ${token}`);
    for (let round = 1; round <= 3; round += 1) {
      for (const connection of all) connection.send(whoAmI.repeat(together), together);
      await until(
        () => Math.min(...answers),
        (least) => least === round * together,
        'some have no answer',
        60_000,
      );
    }
  });

  it('without end over hundreds of connections leave time for everybody else', async () => {
    const { service, provider } = running();
    const token = await provider.token();
    await withToken(service.url + me, token);
    const { hostname, port } = new URL(service.url);
    const flood = Buffer.from(request('GET', me, '', 'authorization: Bearer abc').repeat(2_000));
    const isClosed = { over: false };
    const pour = () => {
      if (isClosed.over) return;
      const socket = connect({ host: hostname, port: Number(port), localAddress: '127.0.0.3' });
      held.push(socket);
      socket.on('error', () => {});
      socket.on('close', () => setTimeout(pour, 20));
      const write = () => {
        while (!socket.destroyed && socket.write(flood));
      };
      socket.on('connect', write).on('drain', write).resume();
    };
    for (let count = 0; count < 300; count += 1) pour();
    for (let count = 0; count < 20; count += 1) {
      const answer = await requestFrom('127.0.0.1', service.url + me, { authorization: `Bearer ${token}` });
      assert.equal(answer.status, 200);
      await pause(50);
    }
    isClosed.over = true;
  });

  it('and are turned away a hundred times end with the connection', async () => {
    const { service } = running();
    const refused = request('GET', me, '', 'authorization: Bearer abc');
    const answer = await exchange(service.url, refused.repeat(mostTurnedAway + 5));
    assert.equal(statuses(answer).length, mostTurnedAway);
    assert.equal(answer.match(/\r\nconnection: close\r\n/gi)?.length, 1);
  });

  it('behind one that asks for an upgrade are not answered in its place', async () => {
    const { service } = running();
    const upgrade = request('GET', '/nowhere', '', 'connection: upgrade', 'upgrade: websocket');
    const answer = await exchange(service.url, upgrade + keys);
    assert.deepEqual(statuses(answer), [404]);
    assert.match(answer, /\r\nconnection: close\r\n/i);
  });

  it('an expectation that is not met says once what becomes of the connection', async () => {
    const { service } = running();
    const expecting = request('POST', '/nowhere', '', 'expect: 100-continue', 'content-length: 5');
    const answer = await exchange(service.url, expecting);
    assert.deepEqual(statuses(answer), [404]);
    assert.match(answer, /\r\nconnection: close\r\n/i);
    assert.doesNotMatch(answer, /keep-alive/i);
  });
});
