import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { plainSql } from '../support/databases/plain-sql.ts';
import type { ApiCaller } from '../support/http/api-caller.ts';
import { assertCode } from '../support/http/code.ts';
import { until } from '../support/run/polling.ts';
import { atOnce, deployment, hourMs } from '../support/services/deployment.ts';
import { databaseEngines } from '../support/services/service.ts';

const declarations = {
  offers: `
schema: { properties: { text: { type: string, maxLength: 280 } } }
states: { open: { close: closed }, closed: {} }
limits: { per_user: 5, writes: 1000000/day, expire: 1h }`,
  lasting: `
schema: { properties: { text: { type: string, maxLength: 280 } } }
limits: { writes: 1000000/day }`,
};

for (const engine of databaseEngines)
  describe(`expiring records, on ${engine}`, () => {
    const two = deployment({ engine, processes: 2, declarations });
    const person = () => two().person({ exp: Math.floor(two().now() / 1000) + 6 * 3_600 });
    const stored = async () => {
      const rows = await plainSql(two().settings).query("select id from records where collection = 'offers'");
      return rows.map(({ id }) => String(id)).sort();
    };
    const swept = (left: readonly string[]) =>
      until(stored, (ids) => ids.join() === [...left].sort().join(), 'the sweep leaves something else');
    /** Asserts that every request answers 404. */
    const assertGone = async (caller: ApiCaller, id: string) => {
      const address = `/offers/${id}`;
      for (const service of two().services) {
        const own = caller.at(service);
        for (const reply of [
          await own.get(address),
          await own.get(address, { 'if-none-match': '*' }),
          await own.send('PATCH', address, { text: 'late' }),
          await own.send('PUT', address, { text: 'late' }),
          await own.send('POST', `${address}/close`),
          await own.send('DELETE', address),
        ])
          assertCode(reply, 'not_found');
        assert.deepEqual(await own.all('offers'), []);
        assert.deepEqual(await own.all('offers', '&state=open'), []);
      }
    };

    it('an expired record is 404 everywhere at once, and the sweep frees its quota', async () => {
      const caller = await person();
      const made = await atOnce(5, () => caller.make('offers', {}));
      const ids = made.map(({ record }) => record.id);
      const { record: lasting } = await caller.make('lasting', {});
      // Only the wall clocks move, so that no sweep runs.
      for (const service of two().services) await service.stepWallClock(hourMs - 60_000);
      assert.equal((await caller.all('offers')).length, 5, 'a minute before');
      for (const service of two().services) await service.stepWallClock(60_000);
      await assertGone(caller, ids[0] ?? '');
      assert.deepEqual(await stored(), ids.sort(), 'control: it is still in the database');
      assertCode(await caller.send('POST', '/offers', {}), 'quota_exceeded');
      for (const service of two().services) await service.stepWallClock(-hourMs);
      assert.equal((await caller.all('offers')).length, 5, 'control: it was only a matter of time');

      await two().advance(hourMs);
      await swept([]);
      await assertGone(caller, ids[0] ?? '');
      for (const service of two().services)
        assert.equal((await caller.at(service).usage('offers')).records.used, 0);
      await caller.make('offers', {});
      assert.equal((await caller.get(`/lasting/${lasting.id}`)).status, 200);
    });

    it('a change extends the expiry, a read does not', async () => {
      const caller = await person();
      const [read, patched, moved] = await atOnce(3, () => caller.make('offers', {}));
      await two().advance(hourMs - 600_000);
      assert.equal((await caller.get(`/offers/${read?.record.id}`)).status, 200);
      assert.equal((await caller.send('PATCH', `/offers/${patched?.record.id}`, { text: 'on' })).status, 200);
      assert.equal((await caller.send('POST', `/offers/${moved?.record.id}/close`)).status, 200);
      await two().advance(600_000);
      const left = [patched, moved].map((made) => String(made?.record.id));
      const shown = (await caller.all('offers')).map(({ id }) => id);
      assert.deepEqual(shown.sort(), left.sort());
      await swept(left);
      assert.equal((await caller.usage('offers')).records.used, 2);
      await two().advance(hourMs);
      await swept([]);
      assert.equal((await caller.usage('offers')).records.used, 0);
    });

    it('the id of an expired record stays taken, before and after the sweep', async () => {
      const [caller, other] = [await person(), await person()];
      const address = `/offers/${randomUUID()}`;
      const create = (who: ApiCaller) => who.send('PUT', address, { text: 'x' }, { 'if-none-match': '*' });
      assert.equal((await create(caller)).status, 201);
      for (const service of two().services) await service.stepWallClock(hourMs);
      for (const who of [caller, other]) assertCode(await create(who), 'not_found');
      for (const service of two().services) await service.stepWallClock(-hourMs);
      await two().advance(hourMs);
      // A process that has noticed the jump deletes nothing for a minute.
      await two().advance(60_000);
      await swept([]);
      for (const who of [caller, other]) assertCode(await create(who), 'not_found');
    });
  });
