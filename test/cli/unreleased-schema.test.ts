import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { endOf } from '../support/commands/outcome.ts';
import { newSqliteFile } from '../support/databases/databases.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { newMasterSecret } from '../support/services/master-secret.ts';
import {
  type DatabaseEngine,
  databaseEngines,
  fileOf,
  newSettings,
  type Settings,
} from '../support/services/service.ts';

const sentence =
  /The database has schema version \d+, which only versions before the first release \(\S+\) wrote, and no release can open it: [^.]+\./;

/** What versions before the first release left in `schema_migrations`. */
const formers = {
  'version 15, which several schemas had': {
    columns: 'version, applied_at, oldest',
    rows: '(15, 1, 15)',
  },
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
