import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { before, describe, it } from 'node:test';
import { exportsPerCaller } from '../../src/consumer/export.ts';
import { isOfPooler } from '../support/databases/postgres.ts';
import { assertProblemWith } from '../support/http/answers.ts';
import type { ApiCaller, WireRecord } from '../support/http/api-caller.ts';
import { concurrently } from '../support/load/flood.ts';
import { until } from '../support/run/polling.ts';
import { deployment } from '../support/services/deployment.ts';
import { logCaughtUp } from '../support/services/log-caught-up.ts';
import { me, someEngine } from '../support/services/service.ts';

const limits = 'limits: { per_user: 1000, bytes: 300000, writes: 1000000/day }';
const declarations = {
  letters: `
schema: { required: [text], properties: { text: { type: string, maxLength: 200000 } } }
access: { clients: any }
${limits}`,
  orders: `
schema: { properties: { number: { type: integer } } }
states: { open: { close: closed }, closed: {} }
${limits}`,
};

interface ExportLine {
  readonly type: 'consumer' | 'record' | 'end';
  readonly collection?: string;
  readonly record?: WireRecord;
  readonly records?: number;
  readonly [member: string]: unknown;
}

const linesOf = (text: string): ExportLine[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** An export over a socket that the test reads itself. */
function exportBySocket({ url, token }: ApiCaller): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(
    `GET ${me}/export HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\nauthorization: Bearer ${token}\r\n\r\n`,
  );
  return socket;
}

/** Once the service has noticed that the export before was closed. */
const wholeExport = (caller: ApiCaller) =>
  until(
    () => caller.get('/me/export'),
    ({ status }) => status === 200,
    'the place of the closed export is not free',
  );

/** Two pages, larger than the socket buffers, so a caller that does not read blocks the rest. */
const letters = 250;
const textOf = (number: number) => 'é"\\\n'.repeat(number % 9 === 0 ? 30_000 : 1);

for (const engine of someEngine)
  describe(`GET /me/export, on ${engine}`, () => {
    const one = deployment({ engine, declarations, settings: { MAX_BODY_BYTES: '1048576' } });
    let owner: ApiCaller;
    let other: ApiCaller;
    before(async () => {
      [owner, other] = [await one().person(), await one().person()];
      await other.make('letters', { text: 'not yours' });
      let number = 0;
      await concurrently(letters, 16, () => {
        number += 1;
        return owner.make('letters', { text: textOf(number) });
      });
      const { record } = await owner.make('orders', { number: 1 });
      assert.equal((await owner.send('POST', `/orders/${record.id}/close`)).status, 200);
    });

    it('exports every record exactly once, and ends with the count', async () => {
      const reply = await owner.get('/me/export');
      assert.equal(reply.status, 200);
      assert.equal(reply.headers.get('content-type'), 'application/x-ndjson');
      assert.match(reply.headers.get('content-disposition') ?? '', /^attachment; filename="[\w.]+"$/);
      assert.match(reply.headers.get('cache-control') ?? '', /no-store/);
      assert.ok(reply.text.endsWith('\n'));
      const [consumer, ...lines] = linesOf(reply.text);
      const { id, kind, registered_at } = (await owner.get('/me')).json();
      assert.deepEqual(consumer, { type: 'consumer', id, kind, registered_at });
      assert.deepEqual(lines.pop(), { type: 'end', records: letters + 1 });
      const shown = [...(await owner.all('letters')), ...(await owner.all('orders'))];
      const expected = new Map(shown.map(({ actions: _, ...record }) => [record.id, record]));
      assert.equal(lines.length, expected.size);
      for (const { type, collection, record } of lines) {
        assert.equal(type, 'record');
        assert.equal(collection, record?.state === undefined ? 'letters' : 'orders');
        assert.deepEqual(record, expected.get(record?.id ?? ''));
        expected.delete(record?.id ?? '');
      }
      assert.equal(expected.size, 0, 'every one was there');
    });

    it("exports only the caller's own records, also for a client that can read all", async () => {
      const machine = await one().machine('house');
      assert.equal((await machine.all('letters')).length, letters + 1, 'control');
      for (const [caller, count] of [
        [other, 1],
        [machine, 0],
        [await one().person(), 0],
      ] as const) {
        const lines = linesOf((await caller.get('/me/export')).text);
        assert.equal(lines.length, count + 2);
        assert.equal(lines[0]?.id, (await caller.get('/me')).json().id);
        assert.deepEqual(lines.at(-1), { type: 'end', records: count });
      }
    });

    it('a slow reader gets the whole export, while other requests are answered', async () => {
      const slow = exportBySocket(owner);
      await new Promise((resolve) => slow.once('readable', resolve));
      const received: Buffer[] = [slow.read()];
      const requestId = /^x-request-id: (\S+)/im.exec(String(received[0]))?.[1];
      assert.ok(requestId !== undefined, 'control: the answer says which request it is of');
      const finished = () => {
        const lines = one().service.logLines();
        return lines.filter(({ request_id }) => request_id === requestId).length;
      };
      // The caller stops reading here, so the rest waits in the service.
      for (let count = 0; count < 5; count += 1) {
        await other.make('letters', { text: 'meanwhile' });
        assert.equal((await owner.all('orders')).length, 1);
      }
      await logCaughtUp(one().service);
      assert.equal(finished(), 0, 'control: it is not over');
      slow.on('data', (chunk: Buffer) => received.push(chunk));
      await new Promise((resolve) => slow.once('close', resolve));
      const whole = Buffer.concat(received).toString();
      assert.match(whole, new RegExp(`"type":"end","records":${letters + 1}}\n`));
      assert.equal(whole.match(/"type":"record"/g)?.length, letters + 1);
      await until(finished, (count) => count === 1, 'it is not logged as one request');
    });

    it('a second export at the same time is 429, also if nobody reads the first, until that one ends', async () => {
      const unread = exportBySocket(owner);
      await new Promise((resolve) => unread.once('readable', resolve));
      const refused = await owner.get('/me/export');
      assertProblemWith(refused, 'too_many_streams', { limit: exportsPerCaller });
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
      assert.equal((await other.get('/me/export')).status, 200, 'of another caller');
      unread.destroy();
      await wholeExport(owner);
    });

    it('a caller that disconnects midway causes no error or 5xx', async () => {
      for (let count = 0; count < 10; count += 1) {
        const socket = exportBySocket(owner);
        await new Promise((resolve) => socket.once('readable', resolve));
        socket.destroy();
      }
      const lines = linesOf((await wholeExport(owner)).text);
      assert.deepEqual(lines.at(-1), { type: 'end', records: letters + 1 });
      await logCaughtUp(one().service);
      assert.deepEqual(
        one()
          .service.logLines()
          .filter((line) => Number(line.level) >= 40 && !isOfPooler(line)),
        [],
      );
      assert.doesNotMatch(await one().service.metrics(), /^vestibule_http_requests_total\{.*status="5/m);
    });
  });
