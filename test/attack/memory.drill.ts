import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, it } from 'node:test';
import { streamsPerCaller } from '../../src/events/stream-limit.ts';
import { flood, gzipBomb } from '../support/faults/hostile-answers.ts';
import { ApiCaller } from '../support/http/api-caller.ts';
import { exchange, head } from '../support/http/raw-http.ts';
import { concurrently } from '../support/load/flood.ts';
import { until } from '../support/run/polling.ts';
import { declarationsFolder, eventDeclarations } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';
import { failedFetches, keysMetric, refreshKeys } from '../support/services/provider-keys.ts';
import { clockedProcess, me } from '../support/services/service.ts';

const mebibyte = 1_048_576;
const pair = deployment({
  settings: {
    ...clockedProcess,
    COLLECTIONS_DIR: declarationsFolder(eventDeclarations),
    READS_PER_MINUTE: '1000000',
    // No stream is cut off before its memory is measured.
    REQUEST_TIMEOUT_SECONDS: '60',
  },
  hasKeys: true,
});
const held: Socket[] = [];

// A new process for each test: memory that an earlier test has freed would hide growth.
beforeEach(async () => {
  await pair().restart();
  await pair().settle();
});
afterEach(() => {
  for (const socket of held.splice(0)) socket.destroy();
});

/** Opens a connection that sends these bytes and reads nothing. */
async function hold(bytes: string): Promise<void> {
  const { hostname, port } = new URL(pair().service.url);
  const socket = connect(Number(port), hostname);
  socket.pause();
  socket.on('error', () => {});
  held.push(socket);
  await once(socket, 'connect');
  await new Promise((resolve) => socket.write(bytes, resolve));
}

function peakBytes(): number {
  const status = readFileSync(`/proc/${pair().service.process.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1_024;
}

/** Fails if the peak of the resident memory rises by this much meanwhile. */
async function growsLess(bytes: number, work: () => Promise<void>): Promise<void> {
  // Resets the peak (VmHWM) to the resident memory of now.
  writeFileSync(`/proc/${pair().service.process.pid}/clear_refs`, '5');
  const before = peakBytes();
  await work();
  const grown = peakBytes() - before;
  assert.ok(grown < bytes, `${Math.round(grown / 1e6)} MB more`);
}

it('[G178] event streams that are not read take less than 100 MB', async () => {
  const caller = new ApiCaller(pair().service.url, await pair().provider.token());
  const lines = [`authorization: Bearer ${caller.token}`, 'accept: text/event-stream'];
  const stream = head('GET', '/api/consumer/v1/events', ...lines);
  const open = () => keysMetric(pair(), 'vestibule_event_streams_open');
  const write = () => concurrently(1_000, 8, () => caller.make('orders', { text: 'x'.repeat(16_000) }));
  // The memory that the writes themselves need is there before the measurement.
  await write();
  for (let count = 0; count < streamsPerCaller; count += 1) await hold(stream);
  await until(open, (count) => count === streamsPerCaller, 'the streams are not open');
  await growsLess(100e6, async () => {
    await write();
    assert.equal(await open(), streamsPerCaller);
  });
});

it('[G178] sixty endless chunked bodies take less than 150 MB', async () => {
  const token = await pair().provider.token();
  assert.equal((await pair().me(token)).status, 200);
  const paths = ['/token', '/nowhere', me, '/api/consumer/v1/notes'];
  // 65,500 chunks of a byte: 393 kB on the wire.
  const letters = '1\r\nx\r\n'.repeat(65_500);
  await growsLess(150e6, async () => {
    const sixty = Array.from({ length: 60 }, (_, index) => {
      const path = paths[index % paths.length] as string;
      const start = head('POST', path, 'content-type: application/json', 'transfer-encoding: chunked');
      return exchange(pair().service.url, start + letters);
    });
    // Each is over when the service closes it.
    await Promise.all(sixty);
    assert.equal((await pair().me(token)).status, 200);
  });
});

for (const type of ['application/json', 'application/x-www-form-urlencoded'])
  it(`[C97] endless bodies of ${type} at POST /token take less than 50 MiB`, async () => {
    const start = head('POST', '/token', `content-type: ${type}`, 'transfer-encoding: chunked');
    const endless = Buffer.from(start + `2000\r\n${'x'.repeat(8_192)}\r\n`.repeat(1_024));
    const round = () => Promise.all(Array.from({ length: 30 }, () => exchange(pair().service.url, endless)));
    await round();
    await growsLess(50 * mebibyte, async () => {
      for (let count = 0; count < 3; count += 1) await round();
    });
  });

const keySets = {
  'without end': flood({}, Buffer.alloc(64 * 1_024, ' '), Number.MAX_SAFE_INTEGER),
  'of a gigabyte in a megabyte of gzip': flood({ 'content-encoding': 'gzip' }, gzipBomb(), 100),
};
for (const [what, { answer }] of Object.entries(keySets))
  it(`[B66] a key set ${what} takes less than 64 MB`, async () => {
    const { provider } = pair();
    provider.answer = null;
    await refreshKeys(pair());
    provider.answer = answer;
    await growsLess(64e6, async () => {
      await pair().move(600_000);
      await until(
        () => failedFetches(pair()),
        ([failed]) => failed?.fault === 'too_large',
        'the fetch does not come to an end',
      );
    });
  });
