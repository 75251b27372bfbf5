import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { succeeded } from '../support/commands/outcome.ts';
import { OwnPostgres } from '../support/databases/own-postgres.ts';
import { createDatabase } from '../support/databases/postgres.ts';
import { ApiCaller } from '../support/http/api-caller.ts';
import { until } from '../support/run/polling.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { newSettings, runVestibule, type Settings, startService } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';

const declarations = { notes: 'schema: { properties: { text: { type: string, maxLength: 280 } } }' };

/** The last step of "Failover" in docs/runbooks.md. That nothing is lost where commits wait for the standby is in test/fault. */
describe('failover to a standby without the last commits', () => {
  let provider: TestProvider;
  let primary: OwnPostgres;
  let standby: OwnPostgres;
  let settings: Settings;
  before(async () => {
    provider = await TestProvider.start();
    primary = await OwnPostgres.start(['-c', 'fsync=off']);
    const url = await createDatabase(primary.url);
    standby = await primary.standby({ isAwaited: false });
    const place = await newSettings('sqlite', { ...provider.settings });
    settings = {
      ...place,
      DATABASE_URL: url,
      MASTER_SECRET: (await newSettings('postgres', {})).MASTER_SECRET ?? '',
      ERASURE_LOG: `${place.TEST_DIRECTORY}/erasures`,
      COLLECTIONS_DIR: declarationsFolder(declarations),
    };
  });
  after(async () => {
    await provider.stop();
    await primary?.remove();
    await standby?.remove();
  });

  it('"restore" without a file repeats the erasures that the standby has missed', async () => {
    const old = await startService(settings);
    const caller = new ApiCaller(old.url, await provider.token({ sub: 'ada' }));
    await caller.make('notes', { text: 'erased' });
    const there = new URL(String(settings.DATABASE_URL));
    there.port = String(standby.port);
    const records = () =>
      standby.query('select 1 from records', there.href).then(
        ({ length }) => length,
        () => 0,
      );
    await until(records, (count) => count === 1, 'the standby does not follow');
    await standby.stop();
    assert.equal((await caller.send('DELETE', '/me')).status, 200);
    await primary.kill();
    await old.stop();
    await standby.startAgain();
    await standby.promote();
    assert.equal(await records(), 1, 'control: the erasure is lost');

    const after = { ...settings, DATABASE_URL: there.href };
    assert.match(succeeded(await runVestibule(after, 'restore')), /and 1 caller was erased again/);
    assert.equal(await records(), 0);
    const service = await startService(after);
    const again = caller.at(service);
    assert.deepEqual(await again.all('notes'), []);
    await again.make('notes', { text: 'new' });
    await service.stop();
  });
});
