import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiCaller } from '../support/http/api-caller.ts';
import { request, withToken } from '../support/http/request.ts';
import { concurrently } from '../support/load/flood.ts';
import { openMany, RawConnection } from '../support/load/raw-connection.ts';
import { writeRequest } from '../support/load/requests.ts';
import { until } from '../support/run/polling.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';
import { me, ownProcess, type Settings } from '../support/services/service.ts';

const notes = `
schema: { properties: { text: { type: string, maxLength: 280 }, stars: { type: integer } } }
limits: { per_user: 100000, writes: 100000/min }`;

function crowd(settings: Settings) {
  const running = deployment({
    settings: { ...ownProcess, COLLECTIONS_DIR: declarationsFolder({ notes }), ...settings },
  });
  const held = new Set<Socket>();
  after(() => {
    for (const socket of held) socket.destroy();
  });
  /** So many connections, from a few addresses; a hundred at a time, which the queue of the system holds. */
  const hold = (count: number, bytes: string) => {
    const { hostname, port } = new URL(running().service.url);
    let made = 0;
    return concurrently(count, 100, async () => {
      made += 1;
      const socket = connect({
        host: hostname,
        port: Number(port),
        localAddress: `127.0.0.${2 + (made % 8)}`,
      });
      socket.on('error', () => {});
      socket.on('close', () => held.delete(socket));
      held.add(socket);
      await once(socket, 'connect');
      if (bytes !== '') socket.write(bytes);
      return socket;
    });
  };
  const descriptors = () => readdirSync(`/proc/${running().service.process.pid}/fd`).length;
  const isHealthy = async () => {
    const { opsUrl } = running().service;
    for (const path of ['/livez', '/readyz']) assert.equal((await request(opsUrl + path)).status, 200, path);
  };
  const connectionsOpen = async () =>
    Number(/^vestibule_connections_open (\S+)/m.exec(await running().service.metrics())?.[1]);
  return { running, held, hold, descriptors, isHealthy, connectionsOpen };
}

describe('request heads that come byte by byte', () => {
  const { running, held, hold, isHealthy } = crowd({
    REQUEST_TIMEOUT_SECONDS: '2',
    MAX_CONNECTIONS_PER_ADDRESS: '100000',
  });

  it('[G177] over a thousand such connections are closed; others are served meanwhile', async () => {
    const { service, provider } = running();
    const token = await provider.token();
    await hold(1_000, `GET ${me} HTTP/1.1\r\nhost: a\r\nx-slow: `);
    const drip = setInterval(() => {
      for (const socket of held) socket.write('x');
    }, 500);
    try {
      assert.equal((await withToken(service.url + me, token)).status, 200);
      await isHealthy();
      await until(
        () => held.size,
        (count) => count === 0,
        'some are still open',
        30_000,
      );
    } finally {
      clearInterval(drip);
    }
    assert.equal((await withToken(service.url + me, token)).status, 200);
  });
});

describe('many more connections than the limit', () => {
  const most = 500;
  const { running, hold, descriptors, isHealthy, connectionsOpen } = crowd({
    MAX_CONNECTIONS: String(most),
    MAX_CONNECTIONS_PER_ADDRESS: '100000',
  });

  it('[G179] idle ones hold no more than the limit; others are served', async () => {
    const { service, provider } = running();
    const token = await provider.token();
    const before = descriptors();
    await hold(4_000, '');
    assert.ok((await connectionsOpen()) <= most, `${await connectionsOpen()} open`);
    assert.ok(descriptors() <= before + most + 20, `${descriptors()} descriptors`);
    await isHealthy();
    await until(
      async () => (await withToken(service.url + me, token).catch(() => null))?.status,
      (status) => status === 200,
      'nobody else gets in',
    );
  });
});

describe('idle connections after requests with hundreds of headers', () => {
  // The headers of all of them would be 190 MB.
  const { running, hold } = crowd({ NODE_OPTIONS: '--max-old-space-size=100' });

  it('[G181] those headers do not stay in memory', { timeout: 120_000 }, async () => {
    const { service, provider } = running();
    const headers = Array.from({ length: 480 }, (_, index) => `x-${index}: ${'y'.repeat(20)}`);
    const bytes = `GET /.well-known/jwks.json HTTP/1.1\r\nhost: a\r\n${headers.join('\r\n')}\r\n\r\n`;
    for (let count = 0; count < 10; count += 1) {
      const sockets = await hold(300, bytes);
      await Promise.all(sockets.map((socket) => once(socket, 'data')));
    }
    assert.equal((await withToken(service.url + me, await provider.token())).status, 200);
    assert.equal(service.process.exitCode, null);
  });
});

describe('connections that are reset', () => {
  const { running, hold, descriptors, isHealthy, connectionsOpen } = crowd({
    MAX_CONNECTIONS_PER_ADDRESS: '100000',
  });

  it('[G181] half of them in the middle of a request, leave no connections or descriptors behind', async () => {
    const { service, provider } = running();
    const token = await provider.token();
    const caller = new ApiCaller(service.url, token);
    await caller.make('notes', {});
    await until(connectionsOpen, (count) => count <= 2, 'there are others');
    const before = descriptors();
    const whole = writeRequest(token);
    for (let round = 0; round < 3; round += 1) {
      for (const bytes of [whole, whole.slice(0, -20), whole.slice(0, 60), whole.repeat(5).slice(0, -9)]) {
        const sockets = await hold(60, bytes);
        for (const [index, socket] of sockets.entries())
          if (index % 2 === 0) socket.resetAndDestroy();
          else socket.destroy();
      }
      const answered = await hold(60, whole.replace('host: a', 'host: a\r\nconnection: close'));
      await Promise.all(answered.map((socket) => socket.resume().closed || once(socket, 'close')));
    }
    await until(connectionsOpen, (count) => count <= 2, 'some are still held');
    await until(descriptors, (count) => count <= before + 3, `there were ${before} descriptors`);
    await isHealthy();
    const errors = service.logLines().filter(({ level }) => Number(level) >= 50);
    assert.deepEqual(errors, []);
    const { used } = (await caller.usage('notes')).records;
    assert.equal((await caller.all('notes')).length, used);
  });
});

describe('more requests than the service can answer', () => {
  const { running, isHealthy } = crowd({ MAX_CONNECTIONS_PER_ADDRESS: '100000' });

  it('[G175] health checks are answered throughout, and all callers afterwards', async () => {
    const { service, provider } = running();
    let made = 0;
    const tokens = await concurrently(20, 8, () => provider.token({ sub: `somebody ${made++}` }));
    let isOver = false;
    let answered = 0;
    const all = await openMany(150, (index) =>
      RawConnection.open(service.url, `127.0.0.${2 + (index % 8)}`, (_answer, connection) => {
        answered += 1;
        if (!isOver && connection.waiting === 0) pour(connection, index);
      }),
    );
    const pour = (connection: RawConnection, index: number) =>
      connection.send(writeRequest(String(tokens[index % tokens.length])));
    all.forEach(pour);
    for (let count = 0; count < 30; count += 1) {
      await isHealthy();
      await pause(50);
    }
    isOver = true;
    assert.ok(answered > 1_000, `${answered} answers`);
    await until(
      () => all.filter(({ isOpen, waiting }) => isOpen && waiting > 0).length,
      (count) => count === 0,
      'some are never answered',
    );
    for (const { socket } of all) socket.destroy();
    const after = await withToken(service.url + me, String(tokens[0]));
    assert.equal(after.status, 200);
  });
});
