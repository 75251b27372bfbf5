import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { migrateDatabase } from '../../src/compose/open-storage.ts';
import { loadStorageConfig } from '../../src/config/load.ts';
import { newestVersion } from '../../src/storage/migrations.ts';
import { endOf, refused, succeeded } from '../support/commands/outcome.ts';
import { newSqliteFile } from '../support/databases/databases.ts';
import { releases } from '../support/databases/future-steps.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { newMasterSecret } from '../support/services/master-secret.ts';
import {
  type DatabaseEngine,
  databaseEngines,
  fileOf,
  newSettings,
  type Settings,
} from '../support/services/service.ts';

const noProvider = { IDP_ORIGIN: 'http://127.0.0.1:9' };

async function jsonOf(settings: Settings, ...parameters: string[]) {
  return JSON.parse(succeeded(await endOf(settings, ['migrate', ...parameters, '--json'])));
}

for (const engine of databaseEngines) {
  describe(`vestibule migrate on ${engine}`, () => {
    it('migrates an empty database, and --plan reports it before and after', async () => {
      const settings = await newSettings(engine, noProvider);
      const { verdict, sentence } = await jsonOf(settings, '--plan');
      assert.equal(verdict, 'rolling');
      assert.match(sentence, /the first start makes/);
      if (engine === 'sqlite') assert.deepEqual(readdirSync(String(settings.TEST_DIRECTORY)), []);
      else assert.deepEqual(await plainSql(settings).tables(), []);
      const { done } = await jsonOf(settings);
      assert.equal(done.at(-1).version, newestVersion);
      assert.match(succeeded(await endOf(settings, ['migrate', '--plan'])), /^nothing to do: The schema is/);
      for (const parameters of [['migrate'], ['migrate', '--contract']])
        assert.equal(succeeded(await endOf(settings, parameters)), 'There is nothing to do.\n');
    });

    it('is required before a start with MIGRATE=off', async () => {
      const settings = { ...(await newSettings(engine, noProvider)), MIGRATE: 'off' };
      for (const command of [['serve'], ['client', 'add', 'billing']])
        refused(await endOf(settings, command), /MIGRATE is off\. Run "npx vestibule migrate --plan"/);
      succeeded(await endOf(settings, ['migrate']));
      assert.match(succeeded(await endOf(settings, ['client', 'add', 'billing'])), /vsec_/);
    });

    it('an older release leaves a newer schema unchanged and says so', async () => {
      const settings = await newSettings(engine, noProvider);
      const config = loadStorageConfig(settings);
      await migrateDatabase(config, 'expand', { steps: releases.now });
      await migrateDatabase(config, 'expand', { steps: releases.next });
      const plan = await jsonOf(settings, '--plan');
      assert.equal(plan.verdict, 'nothing to do');
      assert.match(plan.sentence, /of a newer release\. This release .* may run beside it/);
      assert.deepEqual(await jsonOf(settings), { done: [] });
      await migrateDatabase(config, 'contract', { steps: releases.next });
      for (const parameters of [['migrate'], ['migrate', '--plan']])
        refused(await endOf(settings, parameters), /has schema version \d+, .* knows versions up to \d+/);
    });
  });
}

const sentence =
  /The database has schema version \d+, which only versions before the first release \(\S+\) wrote, and no release can open it: [^.]+\./;

/** What versions before the first release left in `schema_migrations`. */
const formers = {
  'version 15, which several schemas had': { columns: 'version, applied_at, oldest', rows: '(15, 1, 15)' },
  'the fourteen steps before it': {
    columns: 'version, applied_at, oldest',
    rows: Array.from({ length: 14 }, (_, index) => `(${index + 1}, 1, 10)`).join(', '),
  },
  'the first step, without the oldest version': { columns: 'version, applied_at', rows: '(1, 1)' },
};

async function formerDatabase(
  engine: DatabaseEngine,
  { columns, rows }: { readonly columns: string; readonly rows: string },
): Promise<Settings> {
  const provider = { IDP_ORIGIN: 'http://127.0.0.1:9', MASTER_SECRET: newMasterSecret() };
  const settings = await newSettings(engine, provider);
  const { query } = plainSql(settings);
  if (engine === 'sqlite') await query('pragma journal_mode = wal');
  const types = columns.replaceAll(/\w+/g, '$& integer not null');
  await query(`create table schema_migrations (${types})`);
  await query(`insert into schema_migrations (${columns}) values ${rows}`);
  await query('create table clients (id text primary key not null, label text not null)');
  await query("insert into clients (id, label) values ('billing', 'kept')");
  return settings;
}

async function stateOf(engine: DatabaseEngine, settings: Settings): Promise<unknown> {
  if (engine === 'sqlite')
    return [readFileSync(fileOf(settings), 'base64'), readdirSync(String(settings.TEST_DIRECTORY))];
  const { query, tables } = plainSql(settings);
  return [
    await tables(),
    await query('select * from schema_migrations order by version'),
    await query('select * from clients'),
  ];
}

const all = [['serve'], ['migrate'], ['migrate', '--plan'], ['doctor']];
const more = [
  ['check', '--against'],
  ['client', 'list'],
  ['restore', '--without-erasures'],
];
/** Of a database file alone. */
const ofFiles = () => [
  ['backup', `${newSqliteFile()}.copy`],
  ['move', '--to', 'postgres://nobody@127.0.0.1:9/nothing'],
];

for (const engine of databaseEngines) {
  describe(`a ${engine} database of a version before the first release`, () => {
    for (const [name, former] of Object.entries(formers)) {
      it(`with ${name} is refused in one sentence and left unchanged`, async () => {
        const settings = await formerDatabase(engine, former);
        const before = await stateOf(engine, settings);
        const isFirst = former === Object.values(formers)[0];
        const others = isFirst ? [...more, ...(engine === 'sqlite' ? ofFiles() : [])] : [];
        for (const command of [...all, ...others]) {
          const { code, stdout, stderr } = await endOf(settings, command);
          assert.equal(code, 1, command.join(' '));
          if (command[0] === 'doctor') {
            const finding = stdout.split('\n').find((line) => line.startsWith('FAIL  schema'));
            assert.match(String(finding), sentence);
          } else
            assert.match(stderr.trim(), new RegExp(`^vestibule: ${sentence.source}$`), command.join(' '));
          assert.deepEqual(await stateOf(engine, settings), before, command.join(' '));
        }
      });
    }
  });
}
