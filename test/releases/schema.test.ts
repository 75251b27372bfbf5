import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { newestVersion } from '../../src/storage/migrations.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases/databases.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { databaseEngines } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import { postgresSchema } from './postgres-dump.ts';
import { releasedVersions, restoreReleased } from './released.ts';
import { stageSettings } from './stage.ts';

let provider: TestProvider;
before(async () => {
  provider = await TestProvider.start();
});
after(() => provider.stop());

for (const release of releasedVersions)
  for (const engine of databaseEngines)
    it(`a ${engine} database of ${release.version} has the schema of a new one once it is migrated`, async () => {
      const settings = await stageSettings(engine, provider, `${release.folder}/collections`);
      await restoreReleased(release, settings);
      const migrated = await linesAfterOpening(plainSql(settings));
      const created = await linesAfterOpening(await createTestDatabase(engine));
      const only = (ours: readonly string[], others: readonly string[]) =>
        ours.filter((line) => !others.includes(line)).map((line) => `\n  ${line}`);
      const [added, gone] = [only(created, migrated), only(migrated, created)];
      assert.ok(
        added.length + gone.length === 0,
        `A new database and a migrated one of ${release.version} differ. Only in the new one:${added.join('') || ' nothing'}\nOnly in the migrated one:${gone.join('') || ' nothing'}\n${advice}`,
      );
    });

const advice = `The schema of a release changes by a migration only. Leave src/storage/initial-schema.ts and the released steps as they were, and add a step at the end of \`migrations\` in src/storage/migrations.ts, for example:
  {
    version: ${newestVersion + 1},
    what: 'when a caller was greeted',
    kind: 'expand',
    async up({ schema }, types) {
      await schema.alterTable('consumers').addColumn('greeted_at', types.integer).execute();
    },
  }`;

/** One line for each column, constraint, index and trigger. The indexes of declarations come and go with them. */
async function linesAfterOpening(database: TestDatabase): Promise<readonly string[]> {
  await (await database.open()).close();
  const lines = database.engine === 'sqlite' ? await sqliteLines(database) : await postgresLines(database);
  return lines.filter((line) => !/^declared_|index (?:if not exists )?"?declared_/i.test(line));
}

async function sqliteLines({ query }: TestDatabase): Promise<readonly string[]> {
  const objects = await query('select name, sql from sqlite_schema where sql is not null order by name');
  return objects.flatMap(({ name, sql }) =>
    named(String(name), String(sql).replace(') strict', '\n) strict')),
  );
}

async function postgresLines({ query }: TestDatabase): Promise<readonly string[]> {
  const { tables, rest } = await postgresSchema(query);
  return [...[...tables].flatMap(([name, text]) => named(name, text)), ...rest];
}

const named = (name: string, text: string) =>
  text.split('\n').map((line) => `${name}: ${line.trim().replace(/,$/, '')}`);
