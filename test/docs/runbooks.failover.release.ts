import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { newDirectory, succeeded } from '../support/commands/outcome.ts';
import { OwnPostgres } from '../support/databases/own-postgres.ts';
import { createDatabase } from '../support/databases/postgres.ts';
import { ApiCaller } from '../support/http/api-caller.ts';
import { until } from '../support/run/polling.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { newMasterSecret } from '../support/services/master-secret.ts';
import { newSettings, runVestibule, startService } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';

const declarations = { notes: 'schema: { properties: { text: { type: string, maxLength: 280 } } }' };

const provider = await TestProvider.start();
after(() => provider.stop());
const primary = await OwnPostgres.start(['-c', 'fsync=off']);
after(() => primary.remove());
const url = await createDatabase(primary.url);
const standby = await primary.standby({ isAwaited: false });
after(() => standby.remove());
const settings = await newSettings('sqlite', {
  ...provider.settings,
  DATABASE_URL: url,
  MASTER_SECRET: newMasterSecret(),
  ERASURE_LOG: `${newDirectory()}/erasures`,
  COLLECTIONS_DIR: declarationsFolder(declarations),
});

/** The last step of "Failover" in docs/runbooks.md. That nothing is lost where commits wait for the standby is in test/fault. */
describe('failover to a standby without the last commits', () => {
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
