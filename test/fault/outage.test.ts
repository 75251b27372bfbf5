import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { plainSql } from '../support/databases/plain-sql.ts';
import { assertProblem } from '../support/http/answers.ts';
import { deployment } from '../support/services/deployment.ts';
import { keysMetric, statusesOfNew } from '../support/services/provider-keys.ts';
import { databaseEngines } from '../support/services/service.ts';
import { makeKey } from '../support/tokens/provider.ts';

const minute = 60_000;
const hour = 60 * minute;
const maxStale = { JWKS_MAX_STALE_SECONDS: String(3 * 3600) };

for (const engine of databaseEngines) {
  describe(`a two-hour outage of the provider on ${engine}`, () => {
    const pair = deployment({ engine, settings: maxStale, hasKeys: true });
    let old: string[] = [];
    before(async () => {
      const { provider } = pair();
      const far = { exp: Math.floor(Date.now() / 1000) + 24 * 3600 };
      const subjects = [1, 2, 3].map((index) => `old caller ${index}`);
      old = await Promise.all(subjects.map((sub) => provider.token({ ...far, sub })));
      for (const token of old) assert.equal((await pair().me(token)).status, 200);
      await provider.stop();
    });

    const everyValidTokenGetsIn = async (when: string) => {
      for (const token of old) assert.equal((await pair().me(token)).status, 200, when);
      assert.deepEqual(await statusesOfNew(pair(), 5), [200], when);
      assert.equal((await pair().ready()).status, 200, when);
    };

    it('[F172] valid tokens are accepted for two hours, also after a restart', async () => {
      for (let passed = 0; passed < 12; passed += 1) {
        if (passed === 6) {
          await pair().restart();
          await everyValidTokenGetsIn('at once after the restart');
          const age = await keysMetric(pair(), 'vestibule_jwks_age_seconds');
          assert.ok(age >= 3_600 && age < 3_700, `the keys are ${age} s old, not as young as the process`);
        }
        await pair().advance(10 * minute);
        await everyValidTokenGetsIn(`after ${10 * (passed + 1)} minutes`);
      }
      assert.equal(pair().provider.fetches, 1, 'control: the provider was away');
    });

    it('past JWKS_MAX_STALE_SECONDS every token is 503 with Retry-After, also after a restart', async () => {
      await pair().advance(hour);
      const refusesEverybody = async () => {
        for (const token of [...old, await pair().provider.token()]) {
          const reply = await pair().me(token);
          assertProblem(reply, 'keys_unavailable');
          assert.match(reply.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
        }
        assert.equal((await pair().ready()).status, 503);
      };
      await refusesEverybody();
      await pair().restart();
      await refusesEverybody();
      await pair().advance(hour);
      await refusesEverybody();
    });

    it("valid tokens are accepted within five seconds of the provider's return", async () => {
      for (let passed = 0; passed < 10; passed += 1) await pair().advance(minute);
      // The worst moment: a try has just failed.
      await pair().advance(1_000 * (await keysMetric(pair(), 'vestibule_jwks_next_fetch_seconds')));
      await pair().provider.comeBack();
      await pair().advance(5_000);
      await everyValidTokenGetsIn('five seconds after the return');
    });
  });

  describe(`a stored key set that was tampered with, on ${engine}`, () => {
    const pair = deployment({ engine, hasKeys: true });
    before(() => pair().provider.stop());
    const sql = (text: string) => plainSql(pair().service.settings).query(text);
    const place = () => `name = '${pair().provider.origin}/jwks'`;

    it('control: unchanged, it is used', async () => {
      await pair().restart();
      assert.equal((await pair().me(await pair().provider.token())).status, 200);
    });

    it('with a planted key it is not used at all', async () => {
      const [row] = await sql(`select content from documents where ${place()}`);
      const content = JSON.parse(String(row?.content));
      const planted = await makeKey();
      content.document.keys.push(planted.jwk);
      await sql(
        `update documents set content = '${JSON.stringify(content)}' where ${place()} returning name`,
      );
      await pair().restart();
      for (const key of [planted, pair().provider.key]) {
        const reply = await pair().me(await pair().provider.token({}, {}, key));
        assertProblem(reply, 'keys_unavailable');
      }
      await sql(`update documents set content = '${String(row?.content)}' where ${place()} returning name`);
      await pair().restart();
      // Control: put right, it is used.
      await pair().letIn([await pair().provider.token()]);
    });

    it('with a later date it is not used', async () => {
      const [row] = await sql(`select content from documents where ${place()}`);
      const content = JSON.parse(String(row?.content));
      content.fetchedAt += hour;
      await sql(
        `update documents set content = '${JSON.stringify(content)}' where ${place()} returning name`,
      );
      await pair().restart();
      assertProblem(await pair().me(await pair().provider.token()), 'keys_unavailable');
      await sql(`update documents set content = '${String(row?.content)}' where ${place()} returning name`);
    });

    it('copied from another provider it is not used', async () => {
      const other = await makeKey();
      const { provider } = pair();
      const mine = provider.keys;
      // Under another origin the provider publishes other keys, which are stored under that name.
      provider.keys = [other];
      await provider.comeBack();
      const elsewhere = { IDP_ORIGIN: provider.origin.replace('127.0.0.1', 'localhost') };
      await pair().restart(0, { changes: elsewhere });
      await pair().settle();
      await pair().service.stop();
      await provider.stop();
      provider.keys = mine;
      const names = (await sql('select name from documents')).map(({ name }) => name);
      assert.ok(names.includes(`${elsewhere.IDP_ORIGIN}/jwks`), `control: it is stored (${names})`);
      await sql(`delete from documents where ${place()} returning name`);
      await sql(
        `update documents set name = '${provider.origin}/jwks' where name = '${elsewhere.IDP_ORIGIN}/jwks' returning name`,
      );
      await pair().restart();
      assertProblem(await pair().me(await provider.token({}, {}, other)), 'keys_unavailable');
    });
  });
}
