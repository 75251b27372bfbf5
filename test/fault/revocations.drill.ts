import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { decodeJwt } from 'jose';
import { plainSql } from '../support/databases/plain-sql.ts';
import { assertProblem } from '../support/http/answers.ts';
import { assertRefused } from '../support/http/refusals.ts';
import { type Reply, request } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { deployment } from '../support/services/deployment.ts';
import { databaseEngines } from '../support/services/service.ts';
import { addClientWith, basic, encodeForm, formType } from '../support/tokens/oauth-form.ts';
import { logoutToken, webClient } from '../support/tokens/provider-documents.ts';
import { type Credentials, tokenOf } from '../support/tokens/token-endpoint.ts';

const maxPerIssuer = 200_000;

for (const engine of databaseEngines) {
  describe(`revocations on ${engine}`, () => {
    const two = deployment({ engine, processes: 2, settings: { WEB_CLIENT_ID: webClient } });
    let client: Credentials;
    before(async () => {
      client = await addClientWith(two().settings, 'machine');
    });

    const live = async () => {
      const token = await tokenOf(String(two().services[0]?.url), client);
      await two().letIn([token]);
      return token;
    };
    const isRefused = async (token: string) => {
      for (const reply of await two().become(403, token)) assertRefused(reply, 'token_revoked', token);
    };
    const post = (path: string, headers: Record<string, string>, form: Record<string, string>) =>
      request(`${two().services[0]?.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': formType, ...headers },
        body: encodeForm(form),
      });
    const revoke = (token: string) => post('/revoke', basic(client), { token });
    const takeBack = async (token: string) => {
      const reply = await revoke(token);
      assert.equal(reply.status, 200, reply.text);
      await isRefused(token);
    };
    /** A token of another user each time: a user who signs in within the second of a sign-out is refused. */
    const person = async () => {
      two().provider.aheadMs = two().now() - Date.now();
      const token = await two().provider.token({ sub: randomUUID() });
      await two().letIn([token]);
      return token;
    };
    const signOut = async (token: string) => {
      const { sub } = decodeJwt(token);
      return post('/idp/logout', {}, { logout_token: await logoutToken(two().provider, { sub }) });
    };

    it('are read again when the database was restored; known ones still refuse tokens', async () => {
      const tokens = [await live(), await live()];
      for (const token of tokens) await takeBack(token);
      const database = plainSql(two().settings);
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

    it('survive a clock that is hours ahead for a minute', async () => {
      const token = await live();
      await takeBack(token);
      const hoursMs = 3 * 3_600_000;
      for (const service of two().services) await service.stepWallClock(hoursMs);
      await two().advance(61_000);
      for (const service of two().services) await service.stepWallClock(-hoursMs);
      for (const _ of ['the jump back is seen', 'the clock is believed again']) await two().advance(60_000);
      await isRefused(token);
    });

    // This refusal does not depend on the database, so SQLite is enough.
    if (engine === 'sqlite')
      it('past the limit of an issuer are refused, none is dropped, and other issuers are not limited', async () => {
        const database = plainSql(two().settings);
        const [service = assert.fail()] = two().services;
        const count = async () => Number(/^vestibule_revocations (\d+)/m.exec(await service.metrics())?.[1]);
        /** Adds revocations up to the limit of the newest one's issuer. */
        const fill = async () => {
          const newest = 'select seq, issuer from revocations order by seq desc limit 1';
          const [{ issuer } = assert.fail()] = await database.query(newest);
          const before = await count();
          await database.query(
            `insert into revocations (name, issued_until, forget_at, seq, issuer)
             with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${maxPerIssuer})
             select newest.issuer || n, 0, ${Math.floor(two().now()) + 3_600_000}, newest.seq + n, newest.issuer
             from numbers, (${newest}) as newest`,
          );
          await database.query('update changes set revocations = revocations + 1');
          await until(count, (now) => now >= before + maxPerIssuer, 'the rows are not read', 60_000);
          return String(issuer);
        };
        const isFull = async (reply: Reply, token: string, issuer: string) => {
          assertProblem(reply, 'revocations_full');
          assert.equal(reply.headers.get('retry-after'), '60');
          await two().letIn([token]);
          const warnings = service.logLines().filter(({ code }) => code === 'revocations_full');
          assert.ok(warnings.some(({ level, detail }) => level === 40 && String(detail).includes(issuer)));
        };
        const revoked = await person();
        assert.equal((await signOut(revoked)).status, 200);
        await isRefused(revoked);
        const provider = await fill();
        const late = await person();
        await isFull(await signOut(late), late, provider);
        await isRefused(revoked);

        await takeBack(await live());
        const own = await fill();
        const token = await live();
        await isFull(await revoke(token), token, own);
        assert.match(await service.metrics(), /^vestibule_refusals_total\{code="revocations_full"\} 2$/m);
      });
  });
}
