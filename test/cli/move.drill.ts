import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { endOf, failed, refused, succeeded } from '../support/commands/outcome.ts';
import { apply, insertAll, newProof } from '../support/databases/batches.ts';
import { postgresDatabase } from '../support/databases/databases.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { createDatabase } from '../support/databases/postgres.ts';
import { newRecord } from '../support/databases/records.ts';
import type { ApiCaller } from '../support/http/api-caller.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { Deployment } from '../support/services/deployment.ts';
import {
  addClient,
  fileOf,
  newSettings,
  runVestibule,
  type Settings,
  startService,
} from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';

const notes = `
schema: { required: [rank], properties: { text: { type: string, maxLength: 2000 }, rank: { type: integer } } }
index: [rank]
limits: { writes: 100000/min, per_user: 100000 }
`;
const manyRecords = 4_000;

describe('vestibule move from SQLite to PostgreSQL', () => {
  let provider: TestProvider;
  let source: Settings;
  let target: Settings;
  let caller: ApiCaller;
  const known = { id: '', etag: '', cursor: '', page: '', position: 0, me: '' };
  const pageAfter = async (one: ApiCaller, cursor: string) =>
    (await one.get(`/notes?limit=50&sort=rank&cursor=${cursor}`)).text;
  const to = () => ['--to', String(target.DATABASE_URL)];
  const move = (...parameters: string[]) => runVestibule(source, 'move', ...parameters);

  before(async () => {
    provider = await TestProvider.start();
    const shared = { ...provider.settings, COLLECTIONS_DIR: declarationsFolder({ notes }) };
    source = await newSettings('sqlite', shared);
    const url = await createDatabase();
    target = { ...source, DATABASE_URL: url, MASTER_SECRET_FILE: `${fileOf(source)}.secret` };
    await addClient(source, 'machine');
    const service = await startService(source);
    const declared = new Deployment(provider, service.settings, [service]);
    caller = await declared.person();
    for (let rank = 0; rank < 120; rank += 1)
      await caller.make('notes', { text: `ünïcode ${rank} \u{1f469}`, rank });
    const { record, etag } = await caller.make('notes', { text: 'kept', rank: 500 });
    const gone = await declared.person();
    await gone.make('notes', { text: 'gone', rank: 1 });
    await gone.send('DELETE', '/me');
    const first = (await caller.get('/notes?limit=50&sort=rank')).json<{ next: string }>();
    Object.assign(known, {
      id: record.id,
      etag,
      cursor: first.next,
      page: await pageAfter(caller, first.next),
      position: (await caller.get('/events')).json<{ next: number }>().next,
      me: (await caller.get('/me')).json<{ id: string }>().id,
    });
    refused(await move(...to()), /is in use\. Stop the program that uses it first: "npx vestibule serve"/);
    await service.stop();
    const storage = await plainSql(source).open();
    const odd = ['\u0001', "it''s", '\\', 'a'.repeat(9_000)].map((text) => newRecord({ fields: { text } }));
    const many = Array.from({ length: manyRecords }, (_, rank) => newRecord({ fields: { rank } }));
    await insertAll(storage, [...odd, ...many]);
    await apply(storage, { proofs: [newProof(), newProof()] });
    await storage.close();
  });
  after(() => provider.stop());

  it('requires --to with a PostgreSQL URL, and a source on SQLite', async () => {
    refused(await move(), /^vestibule: The target is missing\. Name it: npx vestibule move --to postgres/);
    refused(await move('--to', 'sqlite:other.db'), /from an SQLite file \(DATABASE_URL\) to a PostgreSQL/);
    refused(await runVestibule(target, 'move', ...to()), /from an SQLite file/);
    assert.match((await move('--to', 'postgres://db.example.org/x')).stderr, /sslmode=verify-full/);
  });

  it('refuses a target that is not empty', async () => {
    const other = await newSettings('postgres', {});
    await addClient(other, 'there');
    refused(await move('--to', String(other.DATABASE_URL)), /is not empty\. Move to an empty one/);
  });

  it('a killed move leaves no rows, and can be repeated', async () => {
    await killedWhileCopying(source, String(target.DATABASE_URL));
    const [row] = await plainSql(target).query('select count(*) as count from records');
    assert.equal(Number(row?.count), 0);
    const said = JSON.parse(succeeded(await move(...to(), '--json')));
    assert.doesNotMatch(said.to, /:[^/@]+@/, 'no password');
    const rows = Object.fromEntries(
      said.tables.map((one: { table: string; rows: number }) => [one.table, one.rows]),
    );
    assert.equal(rows.records, 121 + 4 + manyRecords);
    assert.equal(rows.erasures, 1);
    assert.equal(rows.proofs, 2);
  });

  it('source and target have the same rows, column by column', async () => {
    const tables = 'records events usage consumers clients audit signing_keys erasures proofs';
    for (const table of tables.split(' ')) {
      const [one, other] = await Promise.all(
        [source, target].map((each) => plainSql(each).query(`select * from ${table}`)),
      );
      assert.deepEqual(textsOf(other ?? []), textsOf(one ?? []), table);
    }
  });

  it('callers, ETags, cursors and event positions work on the target', async () => {
    const service = await startService(target);
    const same = caller.at(service);
    assert.equal((await same.get('/me')).json<{ id: string }>().id, known.me);
    const reply = await same.get(`/notes/${known.id}`);
    assert.equal(reply.headers.get('etag'), known.etag);
    assert.equal(await pageAfter(same, known.cursor), known.page);
    const events = (await same.get(`/events?after=${known.position}`)).json<{ items: []; reset: boolean }>();
    assert.deepEqual([events.items, events.reset], [[], false]);
    await same.make('notes', { text: 'the next one', rank: 2 });
    const next = (await same.get(`/events?after=${known.position}`)).json<{
      items: { position: number }[];
    }>();
    assert.equal(next.items[0]?.position, known.position + 1);
    await service.stop();
    // The audit continues its sequence numbers.
    await addClient(target, 'another');
  });

  it('the moved SQLite file is no longer served or moved', async () => {
    failed(await endOf(source, ['serve']), /was moved to postgres:.* Set DATABASE_URL to the new database/);
    refused(await move(...to()), /was moved to postgres:.* already/);
  });
});

describe('two concurrent moves to one database', () => {
  it('one succeeds, and the other source stays in use', async () => {
    const sources = await Promise.all([newSettings('sqlite', {}), newSettings('sqlite', {})]);
    for (const source of sources) await addClient(source, 'machine');
    const url = await createDatabase();
    const outcomes = await Promise.all(
      sources.map((source) => runVestibule(source, 'move', '--to', url, '--json')),
    );
    const winner = outcomes.findIndex(({ code }) => code === 0);
    succeeded(outcomes[winner] ?? assert.fail(outcomes.map(({ stderr }) => stderr).join()));
    refused(outcomes[1 - winner] ?? assert.fail(), /is not empty\. Move to/);
    await addClient(sources[1 - winner] ?? assert.fail(), 'another');
    const [row] = await postgresDatabase(url).query('select count(*) as count from clients');
    assert.equal(Number(row?.count), 1);
  });
});

/** Starts a move and kills it while it copies records. */
async function killedWhileCopying(settings: Settings, url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const child = spawn(process.execPath, ['bin/vestibule.js', 'move', '--to', url], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  const copying = `select 1 from pg_stat_activity where datname = current_database() and query like 'insert into "records"%'`;
  while ((await client.query(copying)).rowCount === 0 && child.exitCode === null);
  child.kill('SIGKILL');
  assert.equal((await ended)[1], 'SIGKILL', 'it was still under way');
  await client.end();
}

function textsOf(rows: readonly Record<string, unknown>[]): string[] {
  const plain = (value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value);
  return rows
    .map((row) =>
      JSON.stringify(
        Object.keys(row)
          .sort()
          .map((column) => [column, plain(row[column])]),
      ),
    )
    .sort();
}
