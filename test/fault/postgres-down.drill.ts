import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import type { ErrorCode } from '../../src/base/errors.ts';
import { OwnPostgres } from '../support/databases/own-postgres.ts';
import { createDatabase, isAllPooled, pooledByItself } from '../support/databases/postgres.ts';
import { Relay } from '../support/faults/relay.ts';
import { SmallDisk } from '../support/faults/small-disk.ts';
import type { ApiCaller } from '../support/http/api-caller.ts';
import { assertCode } from '../support/http/code.ts';
import { type Reply, request } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { declarationsFolder, plainNotes } from '../support/services/declarations.ts';
import { atOnce, Deployment } from '../support/services/deployment.ts';

const poolSize = 5;

/** One process, and a PostgreSQL behind a relay, so that it can be killed, frozen and replaced. */
describe('a PostgreSQL failure', () => {
  let server: OwnPostgres;
  let relay: Relay;
  let stopPooler: () => Promise<void>;
  let one: Deployment;
  let caller: ApiCaller;
  let standby: OwnPostgres;
  const servers: OwnPostgres[] = [];
  const acknowledged: string[] = [];
  before(async () => {
    server = await OwnPostgres.start(['-c', 'fsync=off', '-c', 'max_connections=20']);
    servers.push(server);
    const url = new URL(await createDatabase(server.url));
    relay = await Relay.start(new URL(url));
    url.host = `127.0.0.1:${relay.port}`;
    const pooled = await pooledByItself(url.href);
    stopPooler = pooled.stop;
    const settings = {
      DATABASE_URL: pooled.url,
      DATABASE_POOL_SIZE: String(poolSize),
      COLLECTIONS_DIR: declarationsFolder({ notes: plainNotes(280) }),
      READS_PER_MINUTE: '100000',
    };
    one = await Deployment.start({ engine: 'postgres', settings });
    caller = await one.person();
    await recovers();
  });
  after(async () => {
    await one?.stop();
    await stopPooler?.();
    await relay?.stop();
    for (const each of servers) await each.remove();
  });

  const ops = (path: string) => request(`${one.service.opsUrl}${path}`);
  /** A write that may be refused; acknowledged ones are remembered. */
  const tryToWrite = async (): Promise<Reply> => {
    const reply = await caller.send('POST', '/notes', { text: 'kept' });
    if (reply.status === 201) acknowledged.push(reply.json<{ id: string }>().id);
    return reply;
  };
  const assertUnavailable = (reply: Reply, ...others: ErrorCode[]) => {
    const { code } = reply.json<{ code: ErrorCode }>();
    // PgBouncer refuses no connection while its server is down: those behind the first ones do not start in time.
    if (isAllPooled) others.push('overloaded');
    assertCode(reply, others.includes(code) ? code : 'storage_unavailable');
    assert.match(String(reply.headers.get('retry-after')), /^[1-9]\d*$/);
  };
  const goesOn = async () => {
    assert.equal((await caller.get('/me')).status, 200, 'whoever is known is');
    assert.equal((await ops('/livez')).status, 200);
  };
  const isNotReady = () =>
    until(
      () => ops('/readyz'),
      ({ status }) => status === 503,
      'it stays ready',
    );
  const recovers = async () => {
    const status = async () => (await tryToWrite()).status;
    await until(status, (status) => status === 201, 'it does not write again', 5_000);
    const ready = () => ops('/readyz');
    await until(ready, ({ status }) => status === 200, 'it does not get ready', 5_000);
    // The first poll after an outage makes the process forget every caller; this request makes it known again.
    const [now] = await server.query('select clock_timestamp()::text as since');
    const polled = `select 1 from pg_stat_activity where query like 'select % from changes' and query_start > '${now?.since}'`;
    const polls = async () => (await server.query(polled)).length;
    await until(polls, (count) => count > 0, 'it does not poll again');
    await pause(100);
    assert.equal((await caller.get('/me')).status, 200);
  };
  /** Every acknowledged record is there, and no process has too many sessions. */
  const nothingIsLost = async () => {
    const found = new Set((await caller.all('notes')).map(({ id }) => id));
    const lost = acknowledged.filter((id) => !found.has(id));
    assert.deepEqual(lost, []);
    const [row] = await server.query(
      "select count(*) as count from pg_stat_activity where application_name = 'vestibule'",
    );
    assert.ok(Number(row?.count) <= poolSize, `${row?.count} sessions`);
  };

  it('[F162] frozen: dependent requests get 503, and it is used again when it continues', async () => {
    server.freeze();
    try {
      const needIt = [tryToWrite(), caller.get('/notes'), ...Array.from({ length: 20 }, tryToWrite)];
      await goesOn();
      await isNotReady();
      // Writes that were not begun in time are "overloaded".
      for (const reply of await Promise.all(needIt)) assertUnavailable(reply, 'overloaded');
    } finally {
      server.thaw();
    }
    await recovers();
    await nothingIsLost();
  });

  it('[F162] killed: dependent requests get 503 at once, reconnects are rare, and it is used again when back', async () => {
    await server.kill();
    for (const reply of await atOnce(50, tryToWrite)) assertUnavailable(reply);
    assertUnavailable(await caller.get('/notes'));
    await goesOn();
    await isNotReady();
    const before = relay.accepted;
    await pause(2_000);
    // Polls go on every 0.4 seconds.
    assert.ok(relay.accepted - before <= 20, `${relay.accepted - before} connections in two seconds`);
    await server.startAgain();
    await recovers();
    await nothingIsLost();
  });

  it('[F162] killed again and again during writes: no acknowledged write is lost', async () => {
    for (let count = 0; count < 3; count += 1) {
      let isOver = false;
      const writing = atOnce(8, async () => {
        while (!isOver) if ((await tryToWrite()).status !== 201) await pause(20);
      });
      await pause(150);
      try {
        await server.kill();
      } finally {
        isOver = true;
        await writing;
      }
      await server.startAgain();
      await recovers();
      await nothingIsLost();
    }
  });

  it('[F164] without a free connection: dependent requests get 503 until there is one', async () => {
    const others: Client[] = [];
    const takeAll = async () => {
      for (;;) {
        const client = new Client({ connectionString: server.url });
        client.on('error', () => {});
        try {
          await client.connect();
        } catch {
          return;
        }
        others.push(client);
      }
    };
    // No other session replaces one that is ended here.
    relay.leadTo(new URL('tcp://127.0.0.1:9'));
    await takeAll();
    await others[0]?.query(
      "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname <> 'postgres'",
    );
    await takeAll();
    relay.leadTo(new URL(server.url));
    for (const reply of await atOnce(20, tryToWrite)) assertUnavailable(reply);
    assertUnavailable(await caller.get('/notes'));
    await goesOn();
    await isNotReady();
    await Promise.all(others.map((client) => client.end()));
    await recovers();
    await nothingIsLost();
  });

  it('[F165] with a frozen synchronous standby: writes are not acknowledged', async () => {
    standby = await server.standby({ isAwaited: true });
    servers.push(standby);
    await recovers();
    standby.freeze();
    try {
      // The writes behind the first one are not begun.
      const [first, ...others] = await Promise.all([tryToWrite(), pause(50).then(tryToWrite)]);
      assertUnavailable(first);
      for (const reply of others) assertUnavailable(reply, 'overloaded');
      await goesOn();
    } finally {
      standby.thaw();
    }
    await recovers();
  });

  it('[F165] failover to the standby: acknowledged writes are there, and writes resume', async () => {
    let isOver = false;
    const writing = atOnce(8, async () => {
      while (!isOver) if ((await tryToWrite()).status !== 201) await pause(20);
    });
    await pause(300);
    await server.kill();
    await standby.promote();
    relay.leadTo(new URL(standby.url));
    server = standby;
    isOver = true;
    await writing;
    await goesOn();
    await recovers();
    await nothingIsLost();
  });
});

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
