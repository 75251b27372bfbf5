import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readdirSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { newDirectory, succeeded } from '../support/commands/outcome.ts';
import type { ApiCaller } from '../support/http/api-caller.ts';
import { until } from '../support/run/polling.ts';
import { declarationsFolder, plainNotes } from '../support/services/declarations.ts';
import { Deployment } from '../support/services/deployment.ts';
import {
  fileOf,
  newSettings,
  runVestibule,
  type Service,
  type Settings,
  startService,
} from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';

const notes = plainNotes(5_000);
const writers = 12;
/** The number of 2 KB records at the start: a file of some 60 MB. */
const ballast = 25_000;

describe('a backup during writes', () => {
  let provider: TestProvider;
  let settings: Settings;
  let service: Service;
  let callers: ApiCaller[];

  before(async () => {
    provider = await TestProvider.start();
    settings = await newSettings('sqlite', {
      ...provider.settings,
      COLLECTIONS_DIR: declarationsFolder({ notes }),
      NEWCOMERS_PER_HOUR: '0',
      LOG_LEVEL: 'warn',
    });
    service = await startService({ ...settings, LOG_LEVEL: 'info' });
    const declared = new Deployment(provider, service.settings, [service]);
    callers = await Promise.all(Array.from({ length: writers }, () => declared.person()));
    fill(fileOf(settings));
  });
  after(async () => {
    await service.stop();
    await provider.stop();
  });

  /** All callers write until the end. Records the times of each acknowledged write. */
  function writing() {
    let isOver = false;
    const done: { began: number; ended: number; id: string; etag: string; caller: ApiCaller }[] = [];
    const write = async (caller: ApiCaller) => {
      for (let number = 0; !isOver; number += 1) {
        const began = performance.now();
        const { record, etag } = await caller.make('notes', { text: `${number} `.repeat(100) });
        done.push({ began, ended: performance.now(), id: record.id, etag, caller });
      }
    };
    const all = Promise.all(callers.map(write));
    return {
      done,
      async end() {
        isOver = true;
        await all;
      },
    };
  }

  it('[F170] delays no writes and contains every record acknowledged before it', async (t) => {
    const load = writing();
    const written = () => load.done.length;
    await until(written, (count) => count >= 100, 'nobody writes');
    const backup = `${newDirectory()}/backup.db`;
    const began = performance.now();
    const said = JSON.parse(succeeded(await runVestibule(settings, 'backup', backup, '--json')));
    const ended = performance.now();
    const soFar = load.done.length;
    const more = () => load.done.length - soFar;
    await until(more, (count) => count >= 100, 'nobody writes any more');
    await load.end();
    const longest = (some: typeof load.done) =>
      Math.max(...some.map((one) => one.ended - one.began)).toFixed(1);
    const during = load.done.filter((one) => one.ended >= began && one.began <= ended);
    const outside = load.done.filter((one) => one.ended < began || one.began > ended);
    t.diagnostic(
      `a file of ${Math.round(said.bytes / 1e6)} MB in ${said.seconds} s; the longest of ${during.length} writes during it took ${longest(during)} ms, of ${outside.length} outside of it ${longest(outside)} ms`,
    );
    assert.ok(during.length > 0, 'control: somebody wrote meanwhile');

    const restored = { ...(await newSettings('sqlite', {})), ...provider.settings };
    const place = {
      ...restored,
      COLLECTIONS_DIR: String(settings.COLLECTIONS_DIR),
      MASTER_SECRET_FILE: `${fileOf(settings)}.secret`,
    };
    const restoring = performance.now();
    succeeded(await runVestibule(place, 'restore', backup, '--erasures', `${fileOf(settings)}.erasures`));
    t.diagnostic(`restored in ${((performance.now() - restoring) / 1000).toFixed(2)} s`);
    compare(fileOf(settings), fileOf(place), said.rows.records);
    const acknowledged = load.done.filter((one) => one.ended < began);
    assert.ok(acknowledged.length > 0, 'control');
    using copy = new DatabaseSync(fileOf(place), { readOnly: true });
    const find = copy.prepare("select revision from records where collection = 'notes' and id = ?");
    for (const { id, etag } of acknowledged)
      assert.equal(`"${find.get(id)?.revision}"`, etag, 'what was acknowledged is there, in its version');
    const again = await startService(place);
    for (const { id, etag, caller } of acknowledged.slice(0, 20)) {
      const reply = await caller.at(again).get(`/notes/${id}`);
      assert.equal(reply.headers.get('etag'), etag);
    }
    await again.stop();
  });

  it('[F158] leaves a WAL that is reused from its beginning', async () => {
    const wal = `${fileOf(settings)}-wal`;
    const load = writing();
    for (let round = 0; round < 3; round += 1)
      succeeded(await runVestibule(settings, 'backup', `${newDirectory()}/backup.db`));
    await pause(500);
    await load.end();
    assert.ok(load.done.length > 0);
    // 64 MB and what is written until the next time that it is emptied.
    assert.ok(statSync(wal).size < 84e6, `the log has ${statSync(wal).size} bytes`);
  });

  it('a killed backup leaves no file under its final name; an interrupted one leaves no file at all', async () => {
    const folder = newDirectory();
    for (const signal of ['SIGKILL', 'SIGINT'] as const) {
      const file = `${folder}/${signal}.db`;
      const child = spawn(process.execPath, ['bin/vestibule.js', 'backup', file], {
        env: { PATH: process.env.PATH, ...settings },
        stdio: 'ignore',
      });
      const ended = once(child, 'exit');
      const drafts = () => globSync(`${file}.*.part`);
      while (drafts().every((draft) => statSync(draft).size === 0) && child.exitCode === null) await pause(1);
      child.kill(signal);
      await ended;
      assert.equal(existsSync(file), false, signal);
      assert.equal(drafts().length, signal === 'SIGKILL' ? 1 : 0, signal);
    }
    const left = readdirSync(folder).filter((name) => name.startsWith('SIGINT'));
    assert.deepEqual(left, []);
  });
});

/** Records written directly into the file before the test. */
function fill(file: string): void {
  using database = new DatabaseSync(file, { timeout: 5_000 });
  database.exec(`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${ballast})
    insert into records (collection, id, owner, state, revision, created_at, updated_at, body)
    select 'notes', 'ballast' || n, 'usr_ballast', null, 'r' || n, n, n, '{"text":"' || hex(randomblob(1000)) || '"}'
    from numbers`);
}

/** The copy is a snapshot: its records are those of the source, and its counts and its log fit them. */
function compare(source: string, copy: string, expected: number): void {
  using database = new DatabaseSync(copy, { readOnly: true });
  database.exec(`attach '${source}' as source`);
  const one = (sql: string) => Number(Object.values(database.prepare(sql).get() ?? {})[0]);
  assert.equal(one('select count(*) from main.records'), expected);
  const different = one(
    'select count(*) from (select * from main.records except select * from source.records)',
  );
  assert.equal(different, 0, 'each is as it is in the source');
  assert.equal(
    one(`select count(*) from main.usage where records <>
      (select count(*) from main.records where owner = usage.owner and collection = usage.collection)`),
    0,
    'as many as are counted',
  );
  assert.equal(
    one("select count(*) from main.events where type = 'notes.created'"),
    one(`select count(*) from main.records where owner <> 'usr_ballast'`),
    'as many as were told',
  );
}
