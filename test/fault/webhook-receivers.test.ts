import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { plainSql } from '../support/databases/plain-sql.ts';
import { until } from '../support/run/polling.ts';
import { clockedProcess, someEngine } from '../support/services/service.ts';
import {
  answerWith,
  type ReceiverAnswer,
  type WebhookReceiver,
} from '../support/webhooks/webhook-receiver.ts';
import { refuseDeliveries } from '../support/webhooks/webhook-rows.ts';
import { webhookStage } from '../support/webhooks/webhook-stage.ts';

const marker = 'what the receiver wrote';

describe('misbehaving webhook receivers', () => {
  const stage = webhookStage('sqlite');

  /** The reported failure of a receiver with this answer. */
  const failureOf = async (answer: ReceiverAnswer, passMs = 0): Promise<string | null> => {
    const { receiver, id } = await stage().webhook();
    receiver.answer = answer;
    await stage().notes(1);
    await receiver.receives(1);
    if (passMs > 0) await stage().pass(passMs);
    const { last_failure: reason } = await stage().shows(
      id,
      ({ last_failure: failure, delivered }) => failure !== null || delivered > 0,
      'nothing came of it',
    );
    await stage().command('remove', id, '--yes');
    return reason;
  };

  it('[E139] are cut off after 64 KiB of a response, whatever its status', async () => {
    for (const status of [200, 500]) {
      let written = 0;
      const answer: ReceiverAnswer = (_received, response) => {
        response.writeHead(status);
        const piece = Buffer.alloc(65_536, marker);
        const more = () => {
          while (!response.destroyed && written < 1e9) {
            written += piece.length;
            if (!response.write(piece)) return response.once('drain', more);
          }
        };
        more();
      };
      assert.equal(await failureOf(answer), 'answer_too_large');
      assert.ok(written < 50e6, `${written} bytes were written`);
    }
  });

  it('[E139] time out after fifteen seconds, silent or byte by byte', async () => {
    assert.equal(await failureOf(() => {}, 15_000), 'timeout');
    const drip: ReceiverAnswer = (_received, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 50);
      response.on('close', () => clearInterval(timer));
    };
    assert.equal(await failureOf(drip, 15_000), 'timeout');
  });

  it('[E139] that hang up count as failed', async () => {
    assert.equal(await failureOf((_received, response) => response.destroy()), 'connection_broken');
    const half: ReceiverAnswer = (_received, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    };
    assert.equal(await failureOf(half), 'connection_broken');
  });

  it('[E139] with compressed responses: the body is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(40_000_000));
    assert.ok(bomb.length < 65_536);
    const answer: ReceiverAnswer = (_received, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    assert.equal(await failureOf(answer), null, 'a 200 of a few bytes');
  });

  it('[E139] that do not speak HTTP count as failed', async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('data', () => socket.end('220 mail.example.org ESMTP\r\n'));
    });
    after(() => server.close());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { id } = await stage().add(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await stage().notes(1);
    await stage().shows(id, ({ last_failure: failure }) => failure === 'not_http', 'it passes for HTTP');
    await stage().command('remove', id, '--yes');
  });

  it('[E139] that switch protocols count as failed', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      const head = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
      socket.on('data', () => socket.write(head));
    });
    after(() => server.close());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { id } = await stage().add(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await stage().notes(1);
    await stage().shows(id, ({ last_failure: failure }) => failure !== null, 'nothing came of it');
    await stage().command('remove', id, '--yes');
  });

  it('[E146] that are dead hold eight connections and delay no other webhook', async () => {
    const [dead, live] = [await stage().webhook(), await stage().webhook()];
    dead.receiver.answer = () => {};
    await stage().notes(20);
    await live.receiver.takes(20);
    await dead.receiver.receives(8);
    assert.deepEqual([dead.receiver.received.length, dead.receiver.open], [8, 8]);
    for (const { id } of [dead, live]) await stage().command('remove', id, '--yes');
  });

  it('[E139] leave nothing of their responses in the database or the log', async () => {
    const { receiver, id } = await stage().webhook();
    receiver.answer = (_received, response) =>
      response.writeHead(400, marker, { 'x-note': marker, 'retry-after': marker }).end(marker);
    await stage().notes(1);
    await stage().shows(id, ({ last_failure: failure }) => failure === 'status_400', 'it has not failed');
    const { query } = plainSql(stage().settings);
    const rows = JSON.stringify([
      await query('select * from deliveries'),
      await query('select url, last_failure from webhooks'),
    ]);
    assert.equal(rows.includes(marker), false);
    assert.equal(JSON.stringify(stage().declared.service.logLines()).includes(marker), false);
  });
});

describe('webhooks of a killed process', () => {
  const stage = webhookStage('sqlite', 1, clockedProcess);

  it('[E144] are all delivered by the next process, whether in flight or waiting', async () => {
    const { receiver, id } = await stage().webhook();
    receiver.answer = () => {};
    const ids = await stage().notes(12);
    await receiver.receives(8);
    const { process } = stage().declared.service;
    const gone = once(process, 'exit');
    process.kill('SIGKILL');
    await gone;
    receiver.answer = answerWith(204);
    // Longer than the lease of the killed process.
    await stage().ageLease(31_000);
    await stage().declared.restart(0, { afterMs: 31_000 });
    await receiver.takes(12);
    assert.deepEqual(receiver.taken.map(({ record }) => record).toSorted(), ids.toSorted());
    await stage().shows(id, ({ delivered }) => delivered === 12, 'not all are noted');
  });
});

describe('a service whose environment names a proxy', () => {
  const proxies: WebhookReceiver[] = [];
  after(() => Promise.all(proxies.map((proxy) => proxy.stop())));
  const proxyUrl = 'http://127.0.0.2:9';
  const stage = webhookStage('sqlite', 1, {
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: proxyUrl,
    HTTPS_PROXY: proxyUrl,
    ALL_PROXY: proxyUrl,
    NO_PROXY: '127.0.0.1',
  });

  it('[E138] sends webhooks directly, not through the proxy', async () => {
    const receiver = await stage().receiver();
    await stage().add(receiver.url.replace('127.0.0.1', 'localhost'));
    await stage().notes(1);
    const [{ headers } = assert.fail()] = await receiver.takes(1);
    assert.match(String(headers.host), /^localhost:/);
  });
});

for (const engine of someEngine) {
  describe(`events of a record sent to a webhook on ${engine}`, () => {
    const stage = webhookStage(engine);

    it('arrive in order and wait only for events of the same record', async () => {
      const { receiver, id } = await stage().webhook();
      const writer = await stage().person();
      const [slow = ''] = await stage().notes(1, writer);
      await receiver.takes(1);
      let failures = 0;
      receiver.answer = ({ record }, response) => {
        const fails = record === slow && failures < 2;
        failures += Number(fails);
        response.writeHead(fails ? 503 : 204).end();
      };
      for (let version = 0; version < 4; version += 1)
        await writer.send('PATCH', `/notes/${slow}`, { text: `version ${version}` }, mergePatch);
      const others = await stage().notes(10, writer);
      await receiver.takes(11);
      assert.equal(receiver.taken.filter(({ record }) => record === slow).length, 1, 'the rest of it waits');
      assert.deepEqual(new Set(receiver.taken.slice(1).map(({ record }) => record)), new Set(others));
      for (const wait of [5_600, 330_100]) {
        await until(
          () => stage().deliveries(id),
          ([first]) => (first?.attempts ?? 0) > (wait === 5_600 ? 0 : 1),
          'it has not failed',
        );
        await stage().pass(wait);
      }
      await receiver.takes(15);
      const positions = receiver.taken
        .filter(({ record }) => record === slow)
        .map(({ position }) => position);
      assert.equal(positions.length, 5);
      assert.deepEqual(
        positions,
        positions.toSorted((one, other) => one - other),
      );
    });

    it("arrive by the webhook's patterns, from its creation on", async () => {
      const writer = await stage().person();
      await stage().notes(1, writer);
      const made = await Promise.all(
        ['*', '*.created', 'notes.*', 'notes.deleted', 'bookings.submitted,notes.changed'].map((pattern) =>
          stage().webhook(pattern),
        ),
      );
      const [note = ''] = await stage().notes(1, writer);
      await writer.send('PATCH', `/notes/${note}`, { text: 'changed' }, mergePatch);
      await writer.send('DELETE', `/notes/${note}`);
      const { record } = await writer.make('bookings', { slot: '2027-01-01T08:00:00Z', seats: 1 });
      await writer.send('POST', `/bookings/${record.id}/submit`);
      const expected = [
        ['notes.created', 'notes.changed', 'notes.deleted', 'bookings.created', 'bookings.submitted'],
        ['notes.created', 'bookings.created'],
        ['notes.created', 'notes.changed', 'notes.deleted'],
        ['notes.deleted'],
        ['notes.changed', 'bookings.submitted'],
      ];
      for (const [index, types] of expected.entries()) {
        const { receiver } = made[index] ?? assert.fail();
        await receiver.takes(types.length);
        assert.deepEqual(receiver.taken.map(({ type }) => type).toSorted(), types.toSorted());
      }
    });

    it('[E142] arrive after a database failure while they were queued', async () => {
      const { receiver } = await stage().webhook();
      const endFault = await refuseDeliveries(plainSql(stage().settings));
      await stage().notes(5);
      const logged = () => JSON.stringify(stage().declared.service.logLines());
      await until(logged, (lines) => lines.includes('webhook cannot be processed now'), 'there is no fault');
      await stage().notes(2);
      await endFault();
      await receiver.takes(7);
      assert.equal(receiver.received.length, 7);
    });

    it('[E148] are no longer sent once the webhook is disabled or removed, except those in flight', async () => {
      const { receiver, id } = await stage().webhook();
      const waiting: (() => void)[] = [];
      receiver.answer = (_received, response) => waiting.push(() => response.writeHead(204).end());
      await stage().notes(20);
      await receiver.receives(8);
      await until(
        () => stage().deliveries(id),
        ({ length }) => length === 20,
        'not all of them wait',
      );
      await stage().command('disable', id);
      for (const answer of waiting.splice(0)) answer();
      receiver.answer = answerWith(204);
      const left = await until(
        () => stage().deliveries(id),
        ({ length }) => length === 12,
        'what was under way is not noted',
      );
      await stage().pass(20_000);
      assert.equal(receiver.received.length, 8);
      await stage().command('enable', id);
      await receiver.takes(20);
      assert.equal(receiver.received.length, 20);
      assert.equal(left.length, 12);
      await stage().command('remove', id, '--yes');
      await stage().notes(3);
      await stage().pass(20_000);
      assert.equal(receiver.received.length, 20);
    });

    it('are sent again with the same ids by a command', async () => {
      const { receiver, id } = await stage().webhook();
      await stage().notes(5);
      await receiver.takes(5);
      const ids = () => receiver.taken.map(({ headers }) => headers['webhook-id']);
      const first = ids();
      const from = receiver.taken[1]?.position ?? 0;
      const positions = ['--since', String(from), '--to', String(from + 2)];
      assert.deepEqual(await stage().command('replay', id, ...positions), { webhook_id: id, deliveries: 3 });
      await receiver.receives(8);
      assert.deepEqual(ids().slice(5).toSorted(), first.slice(1, 4).toSorted());
      const again = await stage().command<{ deliveries: number }>('replay', id, '--since', '2h');
      assert.ok(again.deliveries >= 5, 'also what happened before there was the webhook');
      await receiver.receives(8 + again.deliveries);
      assert.equal(new Set(ids()).size, again.deliveries);
      assert.equal(new Set(ids()).isSupersetOf(new Set(first)), true);
    });

    it('arrive before the erasure event of their owner', async () => {
      const { receiver } = await stage().webhook('notes.*,consumer.erased');
      const held = Promise.withResolvers<ServerResponse>();
      receiver.answer = (_received, response) => held.resolve(response);
      const [leaving, other] = [await stage().person(), await stage().person()];
      await stage().notes(1, leaving);
      const response = await held.promise;
      receiver.answer = answerWith(204);
      assert.equal((await leaving.send('DELETE', '/me')).status, 200);
      // Later events of another caller overtake the erasure, which waits.
      for (const count of [1, 2]) {
        await stage().notes(1, other);
        await receiver.takes(count);
      }
      const types = () => receiver.received.map(({ type }) => type);
      assert.deepEqual(types(), Array(3).fill('notes.created'));
      response.writeHead(204).end();
      await receiver.takes(4);
      assert.equal(types().at(-1), 'consumer.erased');
    });

    it('are removed from the queue when their owner is erased, which the receiver is told', async () => {
      const { receiver, id } = await stage().webhook('notes.*,consumer.erased');
      receiver.answer = answerWith(500);
      const leaving = await stage().person();
      const me = (await leaving.get('/me')).json<{ id: string }>().id;
      await stage().notes(4, leaving);
      await stage().notes(1);
      await until(
        () => stage().deliveries(id),
        (list) => list.length === 5 && list.every(({ attempts }) => attempts > 0),
        'they do not wait',
      );
      receiver.answer = answerWith(204);
      assert.equal((await leaving.send('DELETE', '/me')).status, 200);
      await stage().pass(5 * 60_000);
      const taken = await receiver.takes(2);
      assert.deepEqual(taken.map(({ type }) => type).toSorted(), ['consumer.erased', 'notes.created']);
      const erased = taken.find(({ type }) => type === 'consumer.erased');
      assert.deepEqual(JSON.parse(String(erased?.body)).data, { owner: me });
      await stage().shows(id, ({ delivered }) => delivered === 2, 'they are not noted');
      const { query } = plainSql(stage().settings);
      const tables = ['events', 'deliveries', 'webhooks', 'records', 'consumers'];
      for (const table of tables) {
        const rows = (await query(`select * from ${table}`)).filter((row) => row.type !== 'consumer.erased');
        assert.equal(JSON.stringify(rows).includes(me), false, table);
      }
    });
  });
}

const mergePatch = { 'content-type': 'application/merge-patch+json' };
