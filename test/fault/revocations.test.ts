import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { addClientWith, basic, encodeForm, formType } from '../support/oauth-form.ts';
import { plainSql } from '../support/plain-sql.ts';
import { until } from '../support/polling.ts';
import { Processes } from '../support/processes.ts';
import { logoutToken, webClient } from '../support/provider-documents.ts';
import { assertRefused } from '../support/refusals.ts';
import { request } from '../support/request.ts';
import { databaseEngines } from '../support/service.ts';
import { type Credentials, tokenOf } from '../support/token-endpoint.ts';

const mostNotes = 100_000;

for (const engine of databaseEngines) {
  describe(`notes of tokens that were taken back, on ${engine}`, () => {
    let two: Processes;
    let client: Credentials;
    let other: Credentials;
    before(async () => {
      two = await Processes.start(engine, 2, { WEB_CLIENT_ID: webClient });
      client = await addClientWith(two.settings, 'machine');
      other = await addClientWith(two.settings, 'another');
    });
    after(() => two?.stop());

    const live = async (credentials = client) => {
      const token = await tokenOf(String(two.services[0]?.url), credentials);
      await two.letIn([token]);
      return token;
    };
    const isRefused = async (token: string) => {
      for (const reply of await two.become(403, token)) assertRefused(reply, 'token_revoked', token);
    };
    const takeBack = async (token: string, credentials = client) => {
      const reply = await request(`${two.services[0]?.url}/revoke`, {
        method: 'POST',
        headers: { 'content-type': formType, ...basic(credentials) },
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

    it('outlive a clock that is ahead for a minute', async () => {
      const token = await live();
      await takeBack(token);
      const hoursMs = 3 * 3_600_000;
      for (const service of two.services) await service.stepWallClock(hoursMs);
      await two.advance(61_000);
      for (const service of two.services) await service.stepWallClock(-hoursMs);
      for (const _ of ['the jump back is seen', 'the clock is believed again']) await two.advance(60_000);
      await isRefused(token);
    });

    /** Whose share is filled: a token of its own that nobody takes back, and how another one is. */
    const sources = {
      'a client': async () => ({
        before: await live(),
        fresh: live,
        takeOneBack: async () => takeBack(await live()),
      }),
      'the provider': async () => ({
        before: await person('somebody'),
        fresh: () => person('somebody'),
        // Another one each time: whoever signs in again within the second of a sign-out is refused.
        takeOneBack: () => signOut(randomUUID()),
      }),
    };
    const person = async (sub: string) => {
      two.provider.aheadMs = two.now() - Date.now();
      const token = await two.provider.token({ sub });
      await two.letIn([token]);
      return token;
    };
    const signOut = async (sub: string) => {
      const token = await person(sub);
      const reply = await request(`${two.services[0]?.url}/idp/logout`, {
        method: 'POST',
        headers: { 'content-type': formType },
        body: encodeForm({ logout_token: await logoutToken(two.provider, { sub }) }),
      });
      assert.equal(reply.status, 200, reply.text);
      await isRefused(token);
      return token;
    };
    const warned = (start: string) =>
      two.services
        .flatMap((service) => service.logLines())
        .filter(({ msg }) => String(msg).startsWith(start));
    const sweepSays = async (start: string, count: number) => {
      await two.advance(60_000);
      return until(
        () => warned(start),
        ({ length }) => length > count,
        `nobody says "${start}"`,
      );
    };

    for (const [name, begin] of Object.entries(sources)) {
      it(`of ${name} that are too many become one that refuses all tokens of before, and nobody else's come back`, async () => {
        const database = plainSql(two.settings);
        const [almost, full] = ['many tokens were taken back: ', 'more tokens were taken back than '];
        const said = { almost: warned(almost).length, full: warned(full).length };
        const others = [await live(other), await signOut('a bystander')];
        await takeBack(String(others[0]), other);
        const { before, fresh, takeOneBack } = await begin();
        const newest = 'select max(seq) as seq from revocations';
        const [last] = await database.query(newest);
        await takeOneBack();
        // Of the provider there are two, because it may spell its issuer in two ways.
        const [{ covered_by: coveredBy } = assert.fail()] = await database.query(
          `select covered_by from revocations where seq > ${last?.seq} order by seq limit 1`,
        );
        const [now, hourMs] = [Math.floor(two.now()), 3_600_000];
        // Half of them from the time of the token, the other half from an hour later.
        const add = async (from: number, to: number) => {
          const numbers =
            engine === 'sqlite'
              ? `with recursive numbers(n) as (select ${from} union all select n + 1 from numbers where n < ${to}) select n from numbers`
              : `select n from generate_series(${from}, ${to}) as n`;
          await database.query(
            `insert into revocations (name, issued_until, forget_at, seq, covered_by)
             select '${name} ' || n, ${now} + (n % 2) * ${hourMs}, ${now + 2 * hourMs} + n, newest.seq + n - ${from} + 1, '${coveredBy}'
             from (${numbers}) as numbers, (${newest}) as newest`,
          );
          // Everybody is told of this one, and reads the others with it.
          await takeOneBack();
        };
        await add(1, 0.8 * mostNotes);
        const [warning] = (await sweepSays(almost, said.almost)).slice(-1);
        assert.deepEqual([warning?.level, warning?.most], [40, mostNotes]);
        for (const service of two.services)
          assert.match(await service.metrics(), /^vestibule_revocations_share 0\.80/m);
        await two.letIn([before]);

        await add(0.8 * mostNotes + 100, mostNotes + 100);
        const [done] = (await sweepSays(full, said.full)).slice(-1);
        assert.equal(done?.level, 40);
        const who = name === 'a client' ? ['machine', undefined] : [undefined, 'provider'];
        assert.deepEqual([done?.client_id, done?.provider], who);
        assert.ok(Number(done?.replaced) >= mostNotes / 2, String(done?.replaced));
        const [left] = await database.query(
          `select count(*) as n from revocations where covered_by = '${coveredBy}'`,
        );
        assert.ok(Number(left?.n) <= 0.9 * mostNotes, String(left?.n));
        await isRefused(before);
        for (const token of others) await isRefused(token);
        await two.letIn([await fresh()]);
        for (const service of two.services)
          assert.match(await service.metrics(), /^vestibule_revocations_share 0\.5/m);
        assert.deepEqual(warned(almost).length, said.almost + 1, 'said once');
      });
    }
  });
}
