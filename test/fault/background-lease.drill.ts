import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { plainSql } from '../support/databases/plain-sql.ts';
import { createDatabase, pooled } from '../support/databases/postgres.ts';
import { until } from '../support/run/polling.ts';
import {
  type DatabaseEngine,
  newSettings,
  ownProcess,
  type Settings,
  startService,
} from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';

/** The holder of the lease in the database. */
async function holderIn(settings: Settings): Promise<unknown> {
  const [row] = await plainSql(settings).query("select holder from leases where name = 'background'");
  return row?.holder ?? null;
}

async function holderOtherThan(settings: Settings, former: readonly unknown[], withinMs: number) {
  return until(
    () => holderIn(settings),
    (holder) => holder !== null && !former.includes(holder),
    'nobody has taken over',
    withinMs,
  );
}

const kinds: Record<string, () => Promise<[DatabaseEngine, Settings]>> = {
  sqlite: async () => ['sqlite', {}],
  'postgres behind PgBouncer': async () => [
    'postgres',
    { DATABASE_URL: await pooled(await createDatabase()) },
  ],
};

describe('the background lease', { concurrency: true }, () => {
  for (const [kind, place] of Object.entries(kinds)) {
    it(`another process takes it within 20 s of kill -9 and soon after SIGTERM (${kind})`, async (t) => {
      const [engine, overrides] = await place();
      const provider = await TestProvider.start();
      t.after(() => provider.stop());
      const settings = await newSettings(engine, { ...ownProcess, ...provider.settings, ...overrides });
      const killed = await startService(settings);
      const first = await holderOtherThan(settings, [], 5_000);
      const others = [await startService(settings), await startService(settings)];
      t.after(() => Promise.all(others.map((service) => service.stop())));
      await pause(5_000);
      assert.equal(await holderIn(settings), first, 'nobody takes it from one who is alive');
      const gone = once(killed.process, 'exit');
      killed.process.kill('SIGKILL');
      await gone;
      const second = await holderOtherThan(settings, [first], 20_000);
      for (const service of others) await service.stop();
      assert.equal(await holderIn(settings), null, 'who stops gives it back');
      const last = await startService(settings);
      others.push(last);
      await holderOtherThan(settings, [first, second], 3_000);
    });
  }
});
