import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { migrateDatabase } from '../../src/compose/open-storage.ts';
import { loadStorageConfig } from '../../src/config/load.ts';
import { newestVersion } from '../../src/storage/migrations.ts';
import { endOf, refused, succeeded } from '../support/commands/outcome.ts';
import { releases } from '../support/databases/future-steps.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { databaseEngines, newSettings, type Settings } from '../support/services/service.ts';

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
