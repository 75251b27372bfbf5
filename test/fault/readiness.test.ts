import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import type { ApiCaller } from '../support/api-caller.ts';
import { assertCode } from '../support/code.ts';
import { DeclaredProcesses, declarationsFolder, declaredProcesses } from '../support/declared-processes.ts';
import { until } from '../support/polling.ts';
import { isAllPooled } from '../support/postgres.ts';
import { Processes } from '../support/processes.ts';
import { type Reply, request } from '../support/request.ts';
import { fileOf } from '../support/service.ts';
import { SmallDisk } from '../support/small-disk.ts';
import { postgresUrl } from '../support/surroundings.ts';

const declarations = { notes: 'schema: { properties: { text: { type: string, maxLength: 280 } } }' };

const readyz = (one: DeclaredProcesses) => request(`${one.service(0).opsUrl}/readyz`);
const becomeReady = (one: DeclaredProcesses) =>
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

async function assertOnlyReads(one: DeclaredProcesses, caller: ApiCaller, id: string): Promise<void> {
  assertCode(await caller.send('POST', '/notes', {}), 'storage_unavailable');
  assert.equal((await caller.get(`/notes/${id}`)).status, 200);
  assert.equal((await request(`${one.service(0).opsUrl}/livez`)).status, 200);
}

describe('/readyz with SQLite on a full disk', () => {
  let disk: SmallDisk;
  let one: DeclaredProcesses;
  before(async () => {
    disk = new SmallDisk(4);
    const DATABASE_URL = `sqlite:${disk.folder}/vestibule.db`;
    const COLLECTIONS_DIR = declarationsFolder(declarations);
    one = new DeclaredProcesses(await Processes.start('sqlite', 1, { DATABASE_URL, COLLECTIONS_DIR }));
  });
  after(async () => {
    await one?.processes.stop();
    disk.remove();
  });

  it('[F154] is 503 meanwhile, and 200 without a restart once there is room', async () => {
    const caller = await one.person();
    const { record } = await caller.make('notes', {});
    await becomeReady(one);
    disk.fill();
    const reply = await until(
      () => readyz(one),
      ({ status }) => status === 503,
      'it stays ready',
    );
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
  const one = declaredProcesses('sqlite', 1, declarations);

  it('[F157] is 503 before a waiting write times out, and 200 once the lock is gone', async (t) => {
    const caller = await one().person();
    await caller.make('notes', {});
    await becomeReady(one());
    const other = new DatabaseSync(fileOf(one().processes.settings));
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
});

describe('a read-only PostgreSQL', () => {
  const one = declaredProcesses('postgres', 1, declarations);
  /** The state after a failover: sessions that are opened meanwhile are read-only for their lifetime. */
  const onlyReads = async (isOn: boolean) => {
    const client = new Client({ connectionString: await postgresUrl() });
    await client.connect();
    const name = new URL(String(one().processes.settings.DATABASE_URL)).pathname.slice(1);
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
    const reply = await until(
      () => readyz(one()),
      ({ text }) => text.includes('takes no writes'),
      'it stays ready',
    );
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
