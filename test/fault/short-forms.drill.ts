import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chaos } from '../load/chaos.ts';
import { slopes } from '../load/samples.ts';
import { soak } from '../load/soak.ts';
import { isOfPooler } from '../support/databases/postgres.ts';
import { databaseEngines } from '../support/services/service.ts';

/** The short form of `npm run chaos`, which takes the seed of a run that failed. */
for (const database of databaseEngines) {
  const processes = database === 'postgres' ? 2 : 1;
  it(`[F150] ${processes} process(es) on ${database}, killed during writes, keep every acknowledged write once`, async (t) => {
    const seed = Date.now() % 1_000_000;
    t.diagnostic(`seed ${seed}`);
    const databaseKills = database === 'postgres' ? 2 : 0;
    const options = { database, kills: 3, databaseKills, processes, maxAcknowledged: 300, seed };
    const tally = await chaos(options);
    assert.deepEqual(tally.findings, [], `--seed ${seed}`);
    assert.ok(tally.acknowledged > 50, `${tally.acknowledged} writes in all`);
    assert.ok(tally.starts > 3);
  });
}

/** The short form of `npm run soak`, which also checks that memory does not grow. */
describe('a mixed load with invalid input, provider restarts and key rotations', () => {
  for (const database of databaseEngines)
    it(`[F171] ends with the memory and counts it began with, on ${database}`, async (t) => {
      const seed = Date.now() % 1_000_000;
      t.diagnostic(`seed ${seed}`);
      const options = { database, seconds: 5, perSecond: 100, everySeconds: 1, seed } as const;
      const { samples, tally, warnings } = await soak(options);
      assert.deepEqual(tally.findings, [], `--seed ${seed}`);
      const all = JSON.stringify([...tally.answers]);
      for (const what of [
        'GET /me 200',
        'POST /notes 201',
        'POST /token 200',
        'POST /token 401',
        'a forged token 403',
      ])
        assert.ok((tally.answers.get(what) ?? 0) > 0, `${what} in ${all}`);
      const failures = [...tally.answers.keys()].filter((answer) => / 5\d\d$/.test(answer));
      assert.deepEqual(failures, [], all);
      const unexpected = [...warnings.keys()].filter((msg) => !isOfPooler({ msg }));
      assert.deepEqual(unexpected, []);
      const last = samples.slice(-4).map(({ descriptors }) => descriptors);
      assert.ok(Math.max(...last) - Math.min(...last) <= 20, `descriptors: ${last}`);
      assert.ok(Number.isFinite(slopes(samples).resident));
    });
});
