import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addClientWith, basic, encodeForm, formType } from '../support/oauth-form.ts';
import { plainSql } from '../support/plain-sql.ts';
import { until } from '../support/polling.ts';
import { Processes } from '../support/processes.ts';
import { assertRefused } from '../support/refusals.ts';
import { request } from '../support/request.ts';
import { databaseEngines } from '../support/service.ts';
import { type Credentials, tokenOf } from '../support/token-endpoint.ts';

const mostNotes = 100_000;

for (const engine of databaseEngines) {
  describe(`notes of tokens that were taken back, on ${engine}`, () => {
    let two: Processes;
    let client: Credentials;
    before(async () => {
      two = await Processes.start(engine, 2);
      client = await addClientWith(two.settings, 'machine');
    });
    after(() => two?.stop());

    const live = async () => {
      const token = await tokenOf(String(two.services[0]?.url), client);
      await two.letIn([token]);
      return token;
    };
    const isRefused = async (token: string) => {
      for (const reply of await two.become(403, token)) assertRefused(reply, 'token_revoked', token);
    };
    const takeBack = async (token: string) => {
      const reply = await request(`${two.services[0]?.url}/revoke`, {
        method: 'POST',
        headers: { 'content-type': formType, ...basic(client) },
        body: encodeForm({ token }),
      });
      assert.equal(reply.status, 200, reply.text);
      await isRefused(token);
    };

    it('are read anew when the database has gone back, and what was known stays refused', async () => {
      const tokens = [await live(), await live()];
      for (const token of tokens) await takeBack(token);
      const database = plainSql(two.settings);
      const numbers = async () =>
        (await database.query('select seq from revocations order by seq')).map(({ seq }) => Number(seq));
      assert.deepEqual(await numbers(), [1, 2]);
      // As after a failover to a database that had not heard of the last ones: first the numbers begin further down than what is
      // known, and then the next note has the very number of another one that is known.
      for (const _ of ['further down', 'the same number']) {
        await database.query('delete from revocations');
        const token = await live();
        await takeBack(token);
        assert.deepEqual(await numbers(), [1], 'control: its number was given before');
        tokens.push(token);
        for (const known of tokens) await isRefused(known);
      }
    });

    it('are dropped when there are too many, and the log says what that means', async () => {
      const database = plainSql(two.settings);
      await database.query('delete from revocations');
      const tomorrow = Date.now() + 86_400_000;
      const many = mostNotes + 3;
      const numbers =
        engine === 'sqlite'
          ? `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${many}) select n from numbers`
          : `select n from generate_series(1, ${many}) as n`;
      await database.query(
        `insert into revocations (name, issued_until, forget_at, seq) select 'note ' || n, 1, ${tomorrow} + n, n from (${numbers}) as numbers`,
      );
      const warnings = () =>
        two.services
          .flatMap((service) => service.logLines())
          .filter(({ msg }) => /^more tokens were taken back than can be remembered: /.test(String(msg)));
      assert.deepEqual(warnings(), []);
      // A clock is believed after a minute, and the next sweep comes a minute later.
      for (const _ of [1, 2]) await two.advance(60_000);
      const [warning] = await until(
        () => warnings(),
        ({ length }) => length > 0,
        'nothing is said',
      );
      assert.deepEqual([warning?.level, warning?.dropped, warning?.most], [40, 2, mostNotes]);
      const [left] = await database.query('select count(*) as n from revocations');
      assert.equal(Number(left?.n), mostNotes + 1);
    });
  });
}
