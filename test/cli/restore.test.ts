import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { newDirectory, type Outcome, refused, succeeded } from '../support/commands/outcome.ts';
import { insertAll, register } from '../support/databases/batches.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { createDatabase } from '../support/databases/postgres.ts';
import { newRecord } from '../support/databases/records.ts';
import type { ApiCaller } from '../support/http/api-caller.ts';
import { declarationsFolder, plainNotes } from '../support/services/declarations.ts';
import { Deployment } from '../support/services/deployment.ts';
import { newMasterSecret } from '../support/services/master-secret.ts';
import {
  fileOf,
  newSettings,
  runVestibule,
  type Service,
  type Settings,
  startService,
} from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';

const notes = plainNotes(2_000);
/** The erasures that the command reports: how many it knows, came after the backup, and were done. */
function assertErasures(outcome: Outcome, expected: { known: number; later: number; done: number }): void {
  assert.deepEqual(JSON.parse(succeeded(outcome)).erasures, { unreadable: 0, ...expected });
}

describe('vestibule restore', () => {
  const backup = `${newDirectory()}/backup.db`;
  let provider: TestProvider;
  let settings: Settings;
  let restored: Settings;
  let service: Service;
  let declared: Deployment;
  /** Each caller's record at the backup, and the event positions then and afterwards. */
  let callers: Record<'stays' | 'erased' | 'returned' | 'renewed', ApiCaller>;
  const ids: Record<string, string> = {};
  const etags: Record<string, string> = {};
  const positions = { backup: 0, afterwards: 0 };
  const elsewhere = async (): Promise<Settings> => ({
    ...(await newSettings('sqlite', {})),
    ...provider.settings,
    COLLECTIONS_DIR: String(settings.COLLECTIONS_DIR),
    MASTER_SECRET_FILE: `${fileOf(settings)}.secret`,
  });
  const lastPosition = async (caller: ApiCaller) =>
    (await caller.get('/events')).json<{ next: number }>().next;

  before(async () => {
    provider = await TestProvider.start();
    settings = await newSettings('sqlite', {
      ...provider.settings,
      COLLECTIONS_DIR: declarationsFolder({ notes }),
    });
    service = await startService(settings);
    declared = new Deployment(provider, service.settings, [service]);
    callers = {
      stays: await declared.person(),
      erased: await declared.person(),
      returned: await declared.person(),
      renewed: await declared.person(),
    };
    for (const [name, caller] of Object.entries(callers)) {
      const { record, etag } = await caller.make('notes', { text: `first of ${name} `.repeat(40) });
      ids[name] = record.id;
      etags[name] = etag;
    }
    // Erased and returned before the backup.
    await callers.returned.send('DELETE', '/me');
    const again = await callers.returned.make('notes', { text: 'came back' });
    ids.returned = again.record.id;
    etags.returned = again.etag;
    succeeded(await runVestibule(settings, 'backup', backup));
    positions.backup = await lastPosition(callers.stays);
    // Erased after the backup; one has returned.
    assert.equal((await callers.erased.send('DELETE', '/me')).status, 200);
    assert.equal((await callers.renewed.send('DELETE', '/me')).status, 200);
    await callers.renewed.make('notes', { text: 'since the backup' });
    await callers.stays.make('notes', { text: 'since the backup' });
    positions.afterwards = await lastPosition(callers.stays);
    await service.stop();
    restored = await elsewhere();
  });
  after(() => provider.stop());

  it('--dry-run reports the later erasures and changes nothing', async () => {
    const log = `${fileOf(settings)}.erasures`;
    const said = succeeded(await runVestibule(restored, 'restore', backup, '--dry-run', '--erasures', log));
    assert.match(said, /^The backup can be restored; 2 of 3 known erasures came after the backup\. Nothing/);
    assert.equal(existsSync(fileOf(restored)), false);
  });

  it('refuses to run without a source of later erasures, or with an unreadable one', async () => {
    const says = /source of erasures after the backup .*--erasures.*--without-erasures/;
    refused(await runVestibule(restored, 'restore', backup), says);
    const unreadable = await runVestibule(restored, 'restore', backup, '--erasures', '/nowhere/log');
    refused(unreadable, /cannot be read \(ENOENT\)/);
    refused(
      await runVestibule(restored, 'restore', backup, '--erasures', 'sqlite:/nowhere/old.db'),
      /does not exist/,
    );
    assert.equal(existsSync(fileOf(restored)), false);
  });

  it('refuses a wrong or missing master secret', async () => {
    const other = { ...restored, MASTER_SECRET: newMasterSecret(), MASTER_SECRET_FILE: '' };
    const another = /^vestibule: The backup was made with another master secret\. Set MASTER_SECRET/;
    refused(await runVestibule(other, 'restore', backup, '--without-erasures'), another);
    const none = { ...restored, MASTER_SECRET_FILE: '' };
    const missing = /master secret that belongs to the backup is not at/;
    refused(await runVestibule(none, 'restore', backup, '--without-erasures'), missing);
    assert.equal(existsSync(`${fileOf(restored)}.secret`), false, 'none is made');
    assert.equal(existsSync(fileOf(restored)), false);
  });

  it('refuses a file that is no backup, is damaged or has a write-ahead log', async () => {
    const folder = newDirectory();
    const file = `${folder}/some.db`;
    const refuses = (says: RegExp) =>
      runVestibule(restored, 'restore', file, '--without-erasures').then((outcome) => refused(outcome, says));
    await refuses(/^vestibule: There is no file/);
    writeFileSync(file, 'something else, which is long enough for a header of SQLite. '.repeat(20));
    await refuses(/is not an SQLite database/);
    const bytes = readFileSync(backup);
    writeFileSync(file, bytes.fill(7, 8_192, 40_000));
    await refuses(/damaged/);
    writeFileSync(file, readFileSync(backup).subarray(0, 20_000));
    await refuses(/damaged/);
    copyFileSync(backup, file);
    writeFileSync(`${file}-wal`, 'writes');
    await refuses(/-wal" holds writes that are not in ".*some\.db" yet/);
    assert.equal(existsSync(fileOf(restored)), false);
  });

  it('backup and restore refuse a foreign schema and name the object', async () => {
    const copy = (statements: string) => {
      const file = `${newDirectory()}/tampered.db`;
      copyFileSync(backup, file);
      using database = new DatabaseSync(file);
      database.exec(statements);
      return file;
    };
    const steal = "create trigger steal after insert on records begin update records set owner = 'me'; end";
    const tampered: readonly (readonly [statements: string, name: RegExp])[] = [
      [steal, /trigger "steal"/],
      ['create view peek as select * from records', /view "peek"/],
      ['create table more (id text)', /table "more"/],
      ['create unique index declared_one on records (owner)', /index "declared_one"/],
      ['alter table records add column extra text', /table "records"/],
      ['drop trigger audit_refuses_update', /trigger "audit_refuses_update"/],
    ];
    for (const [statements, name] of tampered) {
      const file = copy(statements);
      for (const option of ['--without-erasures', '--dry-run'])
        refused(await runVestibule(restored, 'restore', file, '--without-erasures', option), name);
      const inPlace = { ...restored, DATABASE_URL: `sqlite:${file}` };
      refused(await runVestibule(inPlace, 'restore', '--without-erasures'), name);
      const target = `${newDirectory()}/copy.db`;
      refused(await runVestibule(inPlace, 'backup', target), name);
      assert.equal(existsSync(target), false);
    }
    assert.equal(existsSync(fileOf(restored)), false);
    const replicated = copy(
      'create table _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER); create table _litestream_lock (id INTEGER); analyze',
    );
    succeeded(await runVestibule(restored, 'restore', replicated, '--without-erasures', '--dry-run'));
  });

  it('refuses a target that is not empty', async () => {
    const says = /exists: a backup is restored only where no database is \(DATABASE_URL\)\. Move/;
    refused(await runVestibule(settings, 'restore', backup), says);
    const withLog = await elsewhere();
    symlinkSync(`${fileOf(withLog)}.nowhere`, fileOf(withLog));
    refused(await runVestibule(withLog, 'restore', backup, '--without-erasures'), /vestibule\.db" exists/);
    rmSync(fileOf(withLog));
    writeFileSync(`${fileOf(withLog)}-wal`, '');
    refused(await runVestibule(withLog, 'restore', backup, '--without-erasures'), /-wal" exists/);
  });

  it('[F170] restores everything except erased callers, erased before or after the backup', async () => {
    const log = `${fileOf(settings)}.erasures`;
    const outcome = await runVestibule(restored, 'restore', backup, '--erasures', log, '--json');
    assertErasures(outcome, { known: 3, later: 2, done: 2 });
    assert.equal(statSync(fileOf(restored)).mode & 0o777, 0o600);
    for (const text of ['first of erased', 'first of renewed', 'first of returned'])
      assert.equal(readFileSync(fileOf(restored)).includes(text), false, text);
    assert.ok(readFileSync(fileOf(restored)).includes('first of stays'), 'control');
    const again = await startService(restored);
    const at = (caller: ApiCaller) => caller.at(again);
    const { stays, erased, returned, renewed } = callers;
    for (const [name, caller] of Object.entries({ stays, returned })) {
      const reply = await at(caller).get(`/notes/${ids[name]}`);
      assert.equal(reply.status, 200, name);
      assert.equal(reply.headers.get('etag'), etags[name], 'the version it had');
      assert.equal((await at(caller).all('notes')).length, 1);
    }
    for (const caller of [erased, renewed]) {
      assert.deepEqual(await at(caller).all('notes'), []);
      assert.equal((await at(caller).usage('notes')).records.used, 0);
    }
    await again.stop();
  });

  it('event readers past the backup get a reset, and no position is reused', async () => {
    const again = await startService(restored);
    const caller = callers.stays.at(again);
    const read = async (after: number) =>
      (await caller.get(`/events?after=${after}`)).json<{
        items: { position: number; data: object }[];
        reset: boolean;
      }>();
    assert.ok(positions.afterwards > positions.backup, 'control');
    assert.equal((await read(positions.afterwards)).reset, true);
    assert.equal((await read(positions.backup)).reset, false);
    const { record } = await caller.make('notes', { text: 'the next one' });
    const { items } = await read(positions.backup);
    const found = items.map(({ data }) => JSON.stringify(data).includes(record.id));
    assert.deepEqual(found, [true]);
    assert.ok(Number(items[0]?.position) > positions.afterwards + 1e9);
    await again.stop();
  });

  it('erasures are not repeated: a caller who returned stays after the next restore', async () => {
    const again = await startService(restored);
    const caller = callers.renewed.at(again);
    await caller.make('notes', { text: 'back after the restore' });
    const next = `${newDirectory()}/next.db`;
    succeeded(await runVestibule(restored, 'backup', next));
    await again.stop();
    const third = await elsewhere();
    // From the erasure logs of the restored and the former database.
    const places = [restored, settings].flatMap((one) => ['--erasures', `${fileOf(one)}.erasures`]);
    assertErasures(await runVestibule(third, 'restore', next, ...places, '--json'), {
      known: 3,
      later: 0,
      done: 0,
    });
    const last = await startService(third);
    assert.equal((await callers.renewed.at(last).all('notes')).length, 1);
    await last.stop();
  });

  it('accepts the former database as source of erasures', async () => {
    const fourth = await elsewhere();
    const former = ['--erasures', String(settings.DATABASE_URL)];
    const outcome = await runVestibule(fourth, 'restore', backup, ...former, '--json');
    assertErasures(outcome, { known: 3, later: 2, done: 2 });
  });

  it('finds the erasure log beside the target', async () => {
    const fifth = await elsewhere();
    copyFileSync(`${fileOf(settings)}.erasures`, `${fileOf(fifth)}.erasures`);
    const outcome = await runVestibule(fifth, 'restore', backup, '--json');
    assertErasures(outcome, { known: 3, later: 2, done: 2 });
  });

  it('creates no database without a backup, and counts unreadable lines of the erasure log', async () => {
    const empty = await elsewhere();
    const log = `${newDirectory()}/log`;
    writeFileSync(log, `${readFileSync(`${fileOf(settings)}.erasures`, 'utf8')}2026-01-02T`);
    const says = /^vestibule: The database of DATABASE_URL does not exist/;
    refused(await runVestibule(empty, 'restore', '--erasures', log), says);
    assert.equal(existsSync(fileOf(empty)), false);
    const said = succeeded(await runVestibule(empty, 'restore', backup, '--erasures', log, '--dry-run'));
    const counts =
      /2 of 3 known erasures came after the backup\. 1 line of the log of erasures cannot be read\. Nothing/;
    assert.match(said, counts);
  });

  it('without a file, repeats erasures in a database restored by other means', async () => {
    const sixth = await elsewhere();
    copyFileSync(backup, fileOf(sixth));
    const place = ['--erasures', `${fileOf(settings)}.erasures`, '--json'];
    assertErasures(await runVestibule(sixth, 'restore', '--dry-run', ...place), {
      known: 3,
      later: 2,
      done: 0,
    });
    assertErasures(await runVestibule(sixth, 'restore', ...place), { known: 3, later: 2, done: 2 });
    assertErasures(await runVestibule(sixth, 'restore', ...place), { known: 3, later: 0, done: 0 });
    const rows = await plainSql(sixth).query(
      "select count(*) as count from records where body like '%first of erased%'",
    );
    assert.equal(rows[0]?.count, 0);
  });
});

const erasuresOf = (output: string) => JSON.parse(output).erasures;
const redone = { known: 1, unreadable: 0, later: 1, done: 1 };

describe('vestibule restore after pg_restore on PostgreSQL', () => {
  let used: Settings;
  let restored: Settings;
  before(async () => {
    used = await newSettings('postgres', { ERASURE_LOG: `${newDirectory()}/erasures` });
    restored = { ...used, DATABASE_URL: await createDatabase(), ERASURE_LOG: '' };
    // Both databases have the state of the backup.
    for (const settings of [used, restored]) await fill(settings);
    succeeded(await runVestibule(used, 'consumer', 'erase', 'usr_gone', '--yes'));
  });

  it('refuses a file argument and names pg_restore', async () => {
    const says = /pg_restore, then run "npx vestibule restore" without a file: see .*docs\/operations\.md/;
    refused(await runVestibule(restored, 'restore', 'copy.dump', '--without-erasures'), says);
  });

  it('refuses to run without a source of later erasures', async () => {
    const says = /^vestibule: There is no source of erasures after the backup, and/;
    refused(await runVestibule(restored, 'restore'), says);
  });

  it('repeats the erasures found in the former database', async () => {
    const place = ['--erasures', String(used.DATABASE_URL), '--json'];
    assert.deepEqual(erasuresOf(succeeded(await runVestibule(restored, 'restore', ...place))), redone);
    refused(await runVestibule(restored, 'consumer', 'show', 'usr_gone'), /There is no caller/);
    assert.match(succeeded(await runVestibule(restored, 'consumer', 'show', 'usr_stays')), /notes +1/);
    const [row] = await plainSql(restored).query("select count(*) from records where owner = 'usr_gone'");
    assert.equal(Number(row?.count), 0);
  });

  it('repeats the erasures found in the erasure log', async () => {
    const other = { ...used, DATABASE_URL: await createDatabase() };
    await fill(other);
    assert.deepEqual(erasuresOf(succeeded(await runVestibule(other, 'restore', '--json'))), redone);
  });
});

async function fill(settings: Settings): Promise<void> {
  const storage = await plainSql(settings).open();
  for (const owner of ['usr_gone', 'usr_stays']) {
    await register(storage, owner, 'user', 1);
    await insertAll(storage, [newRecord({ owner })]);
  }
  await storage.close();
  const counted =
    'insert into usage select owner, collection, count(*), 0, 0, 0, 0 from records group by 1, 2';
  await plainSql(settings).query(counted);
}
