import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { OwnPostgres } from '../support/databases/own-postgres.ts';
import { SmallDisk } from '../support/faults/small-disk.ts';
import type { ApiCaller } from '../support/http/api-caller.ts';
import { assertCode } from '../support/http/code.ts';
import { request } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { Deployment } from '../support/services/deployment.ts';

const declarations = {
  notes:
    'schema: { properties: { text: { type: string, maxLength: 60000 } } }\nlimits: { per_user: 100000, writes: 100000/min, bytes: 65536 }',
};
/** Random text, because PostgreSQL compresses long texts. */
const longText = () => Array.from({ length: 3_000 }, () => Math.random().toString(36).slice(2)).join('');

/** The tables are on a disk of their own; what PostgreSQL needs to go on itself (pg_wal) is not. */
describe('a full disk of PostgreSQL', () => {
  let disk: SmallDisk;
  let server: OwnPostgres;
  let one: Deployment;
  let caller: ApiCaller;
  before(async () => {
    server = await OwnPostgres.start(['-c', 'fsync=off']);
    disk = new SmallDisk(64);
    execFileSync('chown', ['postgres', disk.folder]);
    await server.query(`create tablespace small location '${disk.folder}'`);
    await server.query('create database vestibule tablespace small');
    one = await Deployment.start({
      engine: 'postgres',
      declarations,
      settings: { DATABASE_URL: server.url.replace(/postgres$/, 'vestibule') },
    });
    caller = await one.person();
  });
  after(async () => {
    await one?.stop();
    await server?.remove();
    disk?.remove();
  });
  const write = () => caller.send('POST', '/notes', { text: longText() });

  it('refuses writes and allows reads, and recovers without a restart once there is room', async () => {
    const { record } = await caller.make('notes', { text: 'before' });
    disk.fill();
    const refusal = await until(write, ({ status }) => status !== 201, 'the disk is not full');
    assertCode(refusal, 'storage_unavailable');
    assert.match(String(refusal.headers.get('retry-after')), /^[1-9]\d*$/);
    assert.equal((await caller.get('/me')).status, 200);
    assert.equal((await caller.get(`/notes/${record.id}`)).status, 200);
    const { opsUrl } = one.service;
    assert.equal((await request(`${opsUrl}/livez`)).status, 200);
    const { status, text } = await request(`${opsUrl}/readyz`);
    assert.deepEqual([status, text.includes('SQLSTATE 53100')], [503, true], text);
    const said = one.service.logLines().filter(({ msg }) => msg === 'requests are refused');
    assert.match(String(said[0]?.detail), /SQLSTATE 53100/);
    disk.free();
    await until(write, ({ status }) => status === 201, 'it does not write again', 5_000);
    assert.equal((await request(`${opsUrl}/readyz`)).status, 200);
    assert.equal((await caller.get(`/notes/${record.id}`)).status, 200);
  });
});
