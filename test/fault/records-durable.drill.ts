import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chaos } from '../load/chaos.ts';
import { databaseEngines } from '../support/services/service.ts';

/** The short form of `npm run chaos`, which takes the seed of a run that failed. */
for (const database of databaseEngines) {
  const processes = database === 'postgres' ? 2 : 1;
  describe(`${processes} process(es) on ${database}, killed during writes`, () => {
    it('[F150] keep every acknowledged write once, have correct counts, and start again', async (t) => {
      const seed = Date.now() % 1_000_000;
      t.diagnostic(`seed ${seed}`);
      const databaseKills = database === 'postgres' ? 2 : 0;
      const options = { database, kills: 3, databaseKills, processes, maxAcknowledged: 300, seed };
      const tally = await chaos(options);
      assert.deepEqual(tally.findings, [], `--seed ${seed}`);
      assert.ok(tally.acknowledged > 50, `${tally.acknowledged} writes in all`);
      assert.ok(tally.starts > 3);
    });
  });
}
