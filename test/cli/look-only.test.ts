import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { openAdministration } from '../../src/compose/administration.ts';
import { planMigration, readDatabase, whyNotRead } from '../../src/compose/read-storage.ts';
import { loadStorageConfig } from '../../src/config/load.ts';
import { newestVersion } from '../../src/storage/migrations.ts';
import { endOf, refused, succeeded } from '../support/commands/outcome.ts';
import { register } from '../support/databases/batches.ts';
import { releases } from '../support/databases/future-steps.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import {
  type DatabaseEngine,
  databaseEngines,
  newSettings,
  type Settings,
} from '../support/services/service.ts';
import { readerOf } from './postgres-roles.ts';

const caller = 'usr_somebody';
const noProvider = { IDP_ORIGIN: 'http://127.0.0.1:9' };

/** Every read-only command. */
const looks = [
  ['check', '--against'],
  ['client', 'list'],
  ['keys', 'list'],
  ['audit'],
  ['consumer', 'top'],
  ['webhook', 'list'],
  ['consumer', 'show', caller],
];

/** Settings of a database that this release created; on PostgreSQL also those of a read-only role. */
async function used(engine: DatabaseEngine) {
  const settings = await newSettings(engine, noProvider);
  const { storage, clients } = await openAdministration(loadStorageConfig(settings), 'test');
  await clients.add({ id: 'billing', label: '', scopes: [], publicKey: null });
  await register(storage, caller, 'user', systemClock.now());
  await storage.close();
  if (engine === 'sqlite') return { settings, reader: settings };
  return { settings, reader: { ...settings, DATABASE_URL: await readerOf(settings) } };
}

/** Everything that a command could change. */
async function stateOf(engine: DatabaseEngine, settings: Settings): Promise<unknown> {
  if (engine === 'sqlite') return filesIn(String(settings.TEST_DIRECTORY));
  const { query } = plainSql(settings);
  return [
    await query('select * from schema_migrations order by version'),
    await query('select name, content from documents order by name'),
    await query("select tablename from pg_tables where schemaname = 'public' order by 1"),
    await query("select indexname from pg_indexes where schemaname = 'public' order by 1"),
  ];
}

function filesIn(folder: string) {
  return readdirSync(folder).map((name) => {
    const { mtimeMs, mode } = statSync(`${folder}/${name}`);
    return { name, mtimeMs, mode, content: readFileSync(`${folder}/${name}`, 'base64') };
  });
}

for (const engine of databaseEngines) {
  describe(`read-only commands, on ${engine}`, () => {
    let settings: Settings;
    let reader: Settings;
    before(async () => {
      ({ settings, reader } = await used(engine));
    });

    /** Asserts that the work leaves the database unchanged. */
    async function untouched(work: () => Promise<void>): Promise<void> {
      const before = await stateOf(engine, settings);
      await work();
      assert.deepEqual(await stateOf(engine, settings), before);
    }

    for (const command of [['check'], ['migrate', '--plan'], ...looks]) {
      it(`${command.join(' ')} changes nothing and needs read rights only`, () =>
        untouched(async () => {
          const shown = succeeded(await endOf(reader, command));
          if (command.includes('show')) assert.match(shown, /usr_somebody +user +active/);
          if (command.includes('audit')) assert.match(shown, /client\.added +billing/);
        }));
    }

    it('a schema expanded by a newer release is read and left unchanged', async () => {
      const { query } = plainSql(settings);
      const version = newestVersion + 1;
      await query(
        `insert into schema_migrations (version, applied_at, oldest) values (${version}, 0, ${newestVersion})`,
      );
      await query('alter table clients add column colour text');
      await untouched(async () => {
        for (const command of [['check'], ['migrate', '--plan'], ...looks])
          succeeded(await endOf(reader, command));
      });
      await query(`delete from schema_migrations where version = ${version}`);
    });

    it('an older schema is left unchanged and reported', async () => {
      const config = loadStorageConfig(reader);
      const found = await readDatabase(
        config,
        async (opened) => (opened.state === 'other_version' ? whyNotRead(config, opened) : opened.state),
        releases.next,
      );
      const says = /version \d+, that of an older release, and this release reads .*npx vestibule migrate/;
      assert.match(found, says);
      assert.equal((await planMigration(config, releases.next))?.verdict, 'rolling, then contract');
    });

    it('an incompatible newer schema is left unchanged and reported', async () => {
      await plainSql(settings).query(
        'insert into schema_migrations (version, applied_at, oldest) values (9999, 0, 9999)',
      );
      await untouched(async () => {
        for (const command of [['check'], ...looks])
          refused(await endOf(reader, command), /schema version 9999, and this release knows versions up to/);
      });
    });
  });
}

describe('read-only commands without a database', () => {
  for (const command of looks) {
    it(`${command.join(' ')} reports a missing SQLite file and creates none`, async () => {
      const settings = await newSettings('sqlite', noProvider);
      const outcome = await endOf(settings, command);
      refused(outcome, /vestibule\.db" \(DATABASE_URL\) does not exist, .*Check DATABASE_URL/);
      assert.deepEqual(readdirSync(String(settings.TEST_DIRECTORY)), []);
    });
  }

  it('client list reports an empty PostgreSQL database and creates no table', async () => {
    const settings = await newSettings('postgres', noProvider);
    refused(await endOf(settings, ['client', 'list']), /DATABASE_URL is empty, .*npx vestibule serve/);
    assert.deepEqual(await plainSql(settings).tables(), []);
  });
});
