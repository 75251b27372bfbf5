import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { plainSql } from '../support/databases/plain-sql.ts';
import { withoutDatabase } from '../support/faults/unreachable-database.ts';
import { until } from '../support/run/polling.ts';
import { deployment, hourMs } from '../support/services/deployment.ts';
import { databaseEngines } from '../support/services/service.ts';

const messages = ['signing keys cannot be rotated', 'expired records cannot be deleted'];

for (const engine of databaseEngines) {
  describe(`background jobs that fail, on ${engine}`, () => {
    const one = deployment({ engine });
    // Jobs that remove something wait until the clock has run steadily.
    before(() => one().advance(60_000));
    const lines = () => one().services[0]?.logLines() ?? [];
    const reports = () => lines().filter(({ msg, level }) => messages.includes(String(msg)) && level !== 30);
    const reportsOf = (message: string) => reports().filter(({ msg }) => msg === message);

    it('warn of an outage with its reason and without a stack', async () => {
      await withoutDatabase(one().settings, async () => {
        await one().advance(hourMs);
        const failures = () => messages.map((message) => reportsOf(message).length);
        await until(failures, (counts) => !counts.includes(0), 'a job has not failed');
      });
      for (const { msg, level, code, detail } of reports())
        assert.deepEqual([msg, level, code, typeof detail], [msg, 40, 'storage_unavailable', 'string']);
      const alarming = lines().filter(({ level, stack }) => Number(level) >= 50 || stack !== undefined);
      assert.deepEqual(alarming, []);
    });

    it('report a bug as an error with its stack', async () => {
      const { query } = plainSql(one().settings);
      await query('alter table used_assertions rename to elsewhere');
      const isBug = ({ level }: { level?: unknown }) => level === 50;
      await one().advance(60_000);
      const bugs = () => reportsOf('expired records cannot be deleted').filter(isBug);
      const found = await until(bugs, ({ length }) => length > 0, 'the fault is not reported');
      assert.ok(Array.isArray(found[0]?.stack));
      await query('alter table elsewhere rename to used_assertions');
    });
  });
}
