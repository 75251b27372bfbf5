import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { LogOutput } from '../../src/base/log.ts';
import { startApp } from '../../src/compose/app.ts';
import { loadConfig } from '../../src/config/load.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { isAllPooled } from '../support/databases/postgres.ts';
import { SmallDisk } from '../support/faults/small-disk.ts';
import type { ApiCaller } from '../support/http/api-caller.ts';
import { assertCode } from '../support/http/code.ts';
import { type Reply, request } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { freePort } from '../support/run/ports.ts';
import { postgresUrl } from '../support/run/surroundings.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { Deployment, deployment } from '../support/services/deployment.ts';
import { MovableClock } from '../support/services/movable-clock.ts';
import { fileOf, newSettings, startService } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';

const declarations = { notes: 'schema: { properties: { text: { type: string, maxLength: 280 } } }' };

const readyz = (one: Deployment) => request(`${one.service.opsUrl}/readyz`);
const becomeReady = (one: Deployment) =>
  until(
    () => readyz(one),
    ({ status }) => status === 200,
    'it does not get ready',
  );

/** /readyz is 503 and names the reason. */
function assertTakesNoWrites(reply: Reply, reason: RegExp): void {
  assert.equal(reply.status, 503, reply.text);
  const body = reply.json<{ status: string; checks: object; database_fault: string }>();
  assert.equal(body.status, 'not ready');
  assert.deepEqual(body.checks, { database: 'takes no writes', provider_keys: 'ok' });
  assert.match(body.database_fault, reason);
}

/** The log of SQLite may have room left for some writes. */
const refusedWrite = (caller: ApiCaller) =>
  until(
    () => caller.send('POST', '/notes', { text: 'x'.repeat(280) }),
    ({ status }) => status === 503,
    'the disk is not full',
  );

async function assertOnlyReads(one: Deployment, caller: ApiCaller, id: string): Promise<void> {
  assertCode(await caller.send('POST', '/notes', {}), 'storage_unavailable');
  assert.equal((await caller.get(`/notes/${id}`)).status, 200);
  assert.equal((await request(`${one.service.opsUrl}/livez`)).status, 200);
}

describe('/readyz with SQLite on a full disk', () => {
  let disk: SmallDisk;
  let one: Deployment;
  before(async () => {
    disk = new SmallDisk(4);
    const DATABASE_URL = `sqlite:${disk.folder}/vestibule.db`;
    const COLLECTIONS_DIR = declarationsFolder(declarations);
    one = await Deployment.start({ declarations: COLLECTIONS_DIR, settings: { DATABASE_URL } });
  });
  after(async () => {
    await one?.stop();
    disk.remove();
  });

  it('[F154] is 503 meanwhile, and 200 without a restart once there is room', async () => {
    const caller = await one.person();
    const { record } = await caller.make('notes', {});
    await becomeReady(one);
    disk.fill();
    const ready = () => readyz(one);
    const reply = await until(ready, ({ status }) => status === 503, 'it stays ready');
    assertTakesNoWrites(reply, /the disk is full/);
    await assertOnlyReads(one, caller, record.id);
    disk.free();
    await becomeReady(one);
    await caller.make('notes', {});
  });

  it('follows a refused write at once, also right after a probe that could write', async () => {
    const caller = await one.person();
    await caller.make('notes', {});
    const [service = assert.fail()] = one.services;
    // At a standstill of the clock the last probe stays recent.
    await service.holdTime(true);
    await becomeReady(one);
    disk.fill();
    assertCode(await refusedWrite(caller), 'storage_unavailable');
    assertTakesNoWrites(await readyz(one), /the disk is full/);
    assert.match(await service.metrics(), /^vestibule_ready 0$/m);
    disk.free();
    await caller.make('notes', {});
    assert.equal((await readyz(one)).status, 200);
    assert.match(await service.metrics(), /^vestibule_ready 1$/m);
    await service.holdTime(false);
  });
});

describe('/readyz with an SQLite file locked by another process', () => {
  const one = deployment({ declarations });

  it('[F157] is 503 before a waiting write times out, and 200 once the lock is gone', async (t) => {
    const caller = await one().person();
    await caller.make('notes', {});
    await becomeReady(one());
    const other = new DatabaseSync(fileOf(one().settings));
    t.after(() => other.close());
    other.exec('begin exclusive');
    await one().advance(1_000);
    const answers: string[] = [];
    const writing = caller.send('POST', '/notes', {}).then((reply) => {
      answers.push('POST');
      return reply;
    });
    for (let count = 0; count < 2; count += 1) {
      assertTakesNoWrites(await readyz(one()), /within 0\.8 s|locked by another process/);
      answers.push('/readyz');
    }
    assertCode(await writing, 'storage_unavailable');
    assert.equal(answers[0], '/readyz', 'whoever asks waits less than whoever writes');
    other.exec('rollback');
    await becomeReady(one());
    await caller.make('notes', {});
  });

  it('shows in the metrics when nobody asks /readyz', async (t) => {
    const [service = assert.fail()] = one().services;
    await becomeReady(one());
    const other = new DatabaseSync(fileOf(one().settings));
    t.after(() => other.close());
    other.exec('begin exclusive');
    const becomes = async (ready: 0 | 1) => {
      await one().advance(10_000);
      await until(
        () => service.metrics(),
        (text) => text.includes(`\nvestibule_ready ${ready}\n`),
        `vestibule_ready does not become ${ready}`,
      );
    };
    await becomes(0);
    other.exec('rollback');
    await becomes(1);
  });
});

describe('a read-only PostgreSQL', () => {
  const one = deployment({ engine: 'postgres', declarations });
  /** The state after a failover: sessions that are opened meanwhile are read-only for their lifetime. */
  const onlyReads = async (isOn: boolean) => {
    const client = new Client({ connectionString: await postgresUrl() });
    await client.connect();
    const name = new URL(String(one().settings.DATABASE_URL)).pathname.slice(1);
    await client.query(`alter database ${name} set default_transaction_read_only = ${isOn}`);
    // PgBouncer would keep those sessions and share them: an operator has it RECONNECT.
    if (isOn || isAllPooled)
      await client.query(
        `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
      );
    await client.end();
  };

  it('[F165] /readyz is 503 and writes are refused meanwhile; both recover afterwards', async () => {
    const caller = await one().person();
    const { record } = await caller.make('notes', {});
    await becomeReady(one());
    await onlyReads(true);
    const ready = () => readyz(one());
    const reply = await until(ready, ({ text }) => text.includes('takes no writes'), 'it stays ready');
    assertTakesNoWrites(reply, /read-only.*25006/);
    const [service = assert.fail()] = one().services;
    // Repeated refusals are logged every ten seconds.
    await service.holdTime(true);
    for (let count = 0; count < 5; count += 1) {
      const tries = Array.from({ length: 10 }, () => caller.send('POST', '/notes', {}));
      for (const refused of await Promise.all(tries)) assertCode(refused, 'storage_unavailable');
    }
    await assertOnlyReads(one(), caller, record.id);
    const strangers = await Promise.all(Array.from({ length: 5 }, () => one().person()));
    for (const stranger of strangers) assertCode(await stranger.get('/me'), 'storage_unavailable');
    const said = () => service.logLines().filter(({ msg }) => msg === 'requests are refused');
    const about = {
      code: 'storage_unavailable',
      detail: 'PostgreSQL is read-only: it answered with SQLSTATE 25006',
    };
    const lines = () =>
      said()
        .filter(({ detail }) => detail === about.detail)
        .map(({ level, code, detail, requests }) => ({ level, code, detail, requests }));
    assert.deepEqual(lines(), [{ level: 40, ...about, requests: 1 }], 'once, and not for every request');
    await one().advance(10_000);
    const [, more] = await until(lines, ({ length }) => length > 1, 'the other refusals are not logged');
    assert.deepEqual(more, { level: 40, ...about, requests: 55 });
    await service.holdTime(false);
    await onlyReads(false);
    // Sessions are replaced once a second at most, so some may only read for that long.
    const everybody = [...strangers, caller];
    await until(
      () => Promise.all(everybody.map((one) => one.send('POST', '/notes', {}))),
      (replies) => replies.every(({ status }) => status === 201),
      'writes are still refused',
    );
    for (const stranger of strangers) assert.equal((await stranger.get('/me')).status, 200);
    await becomeReady(one());
  });
});

describe('/readyz and the log while a start builds an index on PostgreSQL', () => {
  const withIndex = (rest = '') =>
    declarationsFolder({
      notes: `schema: { required: [text], properties: { text: { type: string, maxLength: 280 } } }\n${rest}`,
    });
  const building = /^Creating the index declared_notes_text_\w+ \(.*\), \d+ s so far$/;

  for (const processes of [1, 2])
    it(`name the index, with ${processes} processes`, async (t) => {
      const provider = await TestProvider.start();
      t.after(() => provider.stop());
      const OPS_PORT = String(await freePort());
      const all = { ...provider.settings, OPS_PORT, COLLECTIONS_DIR: withIndex() };
      const settings = await newSettings('postgres', all);
      await (await startService(settings)).stop();
      const database = plainSql(settings);
      await database.query(
        `insert into records (collection, id, owner, revision, created_at, updated_at, body)
          select 'notes', 'id' || n, 'usr_1', 'r', n, n, '{"text":"a"}' from generate_series(1, 10000) n`,
      );
      const writer = new Client({ connectionString: settings.DATABASE_URL });
      await writer.connect();
      t.after(() => writer.end());
      // The index waits for every transaction that may have written.
      await writer.query('begin; lock table records in row exclusive mode');
      const changed = { ...settings, COLLECTIONS_DIR: withIndex('index: [text]') };
      const clock = new MovableClock();
      const log = new LogOutput((bytes) => bytes.length);
      const said = t.mock.method(log, 'write');
      const starting =
        processes === 1
          ? startApp(await loadConfig(changed), { clock, logOutput: log })
          : startService({ ...changed, TEST_SERVE_OPTIONS: '--processes 2' });
      const read = () => request(`http://127.0.0.1:${OPS_PORT}/readyz`).catch(() => null);
      const isNamed = (reply: Reply | null) => building.test(reply?.json<{ work?: string }>().work ?? '');
      const reply = await until(read, isNamed, '/readyz does not name the index');
      assert.equal(reply?.status, 503);
      assert.equal(reply?.json<{ status: string }>().status, 'starting');
      if (processes === 1) {
        clock.advance(10_000);
        const lines = () => said.mock.calls.map(({ arguments: [line] }) => JSON.parse(line));
        await until(
          lines,
          (all) => all.some(({ msg, work }) => msg === 'starting' && building.test(work)),
          'no line',
        );
      }
      await writer.query('rollback');
      await (await starting).stop();
    });
});
