import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { plainSql } from '../support/databases/plain-sql.ts';
import { assertCode } from '../support/http/code.ts';
import type { Reply } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { atOnce, dayMs, deployment, hourMs } from '../support/services/deployment.ts';
import { someEngine, startService } from '../support/services/service.ts';
import { listedKeys } from '../support/services/signing-keys.ts';
import {
  addKeyClient,
  assertionClaims,
  assertionForm,
  type ClientKey,
  makeClientKey,
  signAssertion,
} from '../support/tokens/client-keys.ts';
import { postForm } from '../support/tokens/oauth-form.ts';

const schema = 'schema: { properties: { text: { type: string, maxLength: 280 } } }';
const declarations = {
  notes: `${schema}\nlimits: { writes: 10/min }`,
  trial: `${schema}\nlimits: { writes: 1000/min, newcomer: 3/day for 2d }`,
  letters: `${schema}\nlimits: { writes: 1000/min, expire: 90d }`,
};
const newcomersPerHour = 3;
const minuteMs = 60_000;
const leapMs = 100 * dayMs;
const issuer = 'http://127.0.0.1/vestibule';

for (const engine of someEngine) {
  describe(`[F167] a clock that is wrong for a moment, on ${engine}`, () => {
    const settings = { NEWCOMERS_PER_HOUR: String(newcomersPerHour) };
    const one = deployment({ engine, declarations, settings });
    const service = () => one().service;
    const stored = async (id: string) => {
      const database = plainSql(one().settings);
      return (await database.query(`select id from records where id = '${id}'`)).length;
    };
    let key: ClientKey;
    before(async () => {
      key = await makeClientKey('ES256');
    });

    /** Runs `work` while the wall clock is off by so much; no monotonic time passes. */
    const whileOff = async <T>(byMs: number, work: () => Promise<T>): Promise<T> => {
      await service().stepWallClock(byMs);
      try {
        return await work();
      } finally {
        await service().stepWallClock(-byMs);
      }
    };
    /** A caller whose token is valid now, an hour ago and at each time that the clock is set to. */
    const person = (sub: string) => {
      const now = Math.floor(one().now() / 1000);
      return one().person({ sub, iat: now - 7_200, exp: now + (3 * leapMs) / 1000 });
    };
    const post = async (sub: string, collection = 'notes'): Promise<Reply> =>
      (await person(sub)).send('POST', `/${collection}`, {});
    const created = async (sub: string, collection?: string) => {
      const reply = await post(sub, collection);
      assert.equal(reply.status, 201, reply.text);
      return reply.json<{ id: string }>().id;
    };
    /** How often the log has reported a clock step; the service checks once a minute. */
    const jumpsSeen = () =>
      service()
        .logLines()
        .filter(({ msg }) => msg === 'the clock has jumped').length;
    const untilJumpIsSeen = (before: number) =>
      until(jumpsSeen, (count) => count > before, 'nobody notices that the clock was moved');
    /** Waits until the clock has been right for long enough. */
    const settled = async () => {
      await one().advance(minuteMs);
      await one().advance(minuteMs);
      await one().advance(minuteMs);
    };

    it('writes at a future time use the current budget; Retry-After is within one window', async () => {
      await created('hasty');
      await one().nextWindow(minuteMs);
      await whileOff(leapMs, () => atOnce(10, () => created('hasty')));
      const reply = await post('hasty');
      assertCode(reply, 'write_budget_spent');
      const seconds = Number(reply.headers.get('retry-after'));
      assert.ok(seconds >= 1 && seconds <= 60, `Retry-After: ${seconds}`);
      assert.match(String(reply.headers.get('ratelimit')), /;r=0;t=([1-5]?\d|60)$/);
      const { writes } = await (await person('hasty')).usage('notes');
      assert.equal(writes.used, 10);
      assert.ok(Date.parse(writes.resets_at) <= one().now() + minuteMs, writes.resets_at);
      await one().advance(minuteMs);
      await created('hasty');
    });

    it('a caller registered at a future time is a newcomer from now on', async () => {
      await one().advance(2 * hourMs);
      const crowd = Array.from({ length: newcomersPerHour + 1 }, (_, index) => `early ${index}`);
      await whileOff(leapMs, async () => {
        for (const sub of crowd) assert.equal((await (await person(sub)).get('/me')).status, 200);
      });
      assertCode(await post('early 0', 'trial'), 'newcomers_paused');
      await settled();
      assertCode(await post('early 0', 'trial'), 'newcomers_paused');
      const registeredAt = async () =>
        (await (await person('early 1')).get('/me')).json<{ registered_at: string }>().registered_at;
      // The background work corrects it.
      await until(registeredAt, (at) => Date.parse(at) <= one().now(), 'somebody has come in a time to come');
      await one().advance(hourMs);
      for (let count = 0; count < 3; count += 1) await created('early 0', 'trial');
      assertCode(await post('early 0', 'trial'), 'newcomer_budget_spent');
      await one().advance(2 * dayMs);
      for (let count = 0; count < 5; count += 1) await created('early 0', 'trial');
    });

    it('a record that would have expired then is kept until its real expiry', async () => {
      const id = await created('writes letters', 'letters');
      const seen = jumpsSeen();
      await whileOff(leapMs, async () => {
        await one().advance(minuteMs);
        await untilJumpIsSeen(seen);
      });
      await settled();
      assert.equal(await stored(id), 1);
      assert.equal((await (await person('writes letters')).get(`/letters/${id}`)).status, 200);
      await service().stepWallClock(leapMs);
      await one().advance(minuteMs);
      await untilJumpIsSeen(seen + 2);
      assert.equal(await stored(id), 1, 'at first sight nothing is deleted');
      await one().advance(minuteMs);
      const left = () => stored(id);
      await until(left, (count) => count === 0, 'a clock that stays where it is counts no more');
      await service().stepWallClock(-leapMs);
      await settled();
    });

    it('a process that starts with a wrong clock deletes nothing', async () => {
      const id = await created('writes letters', 'letters');
      const processes = one();
      const aheadMs = processes.now() - Date.now() + leapMs;
      await service().stop();
      processes.services[0] = await startService(processes.settings, { aheadMs });
      await one().advance(minuteMs / 2);
      await service().stepWallClock(-leapMs);
      await one().advance(minuteMs / 2);
      await untilJumpIsSeen(0);
      await settled();
      assert.equal(await stored(id), 1);
    });

    it('no signing key is added or deleted', async () => {
      const processes = one();
      const keys = await listedKeys(processes);
      const seen = jumpsSeen();
      await whileOff(leapMs, async () => {
        await one().advance(hourMs);
        await untilJumpIsSeen(seen);
      });
      await settled();
      assert.deepEqual(await listedKeys(processes), keys);
    });

    it('a used assertion is not forgotten', async () => {
      await addKeyClient(one().settings, 'signs', [key]);
      const atTime = async (now: number) => {
        const seconds = Math.floor(now / 1000);
        const claims = assertionClaims('signs', issuer, { iat: seconds, exp: seconds + 300 });
        return assertionForm(await signAssertion(key, claims));
      };
      const used = await atTime(one().now());
      assert.equal((await postForm(service().url, used)).status, 200);
      await whileOff(leapMs, async () => {
        const later = await atTime(one().now() + leapMs);
        assert.equal((await postForm(service().url, later)).status, 200, 'control: others are taken then');
      });
      assert.equal((await postForm(service().url, used)).status, 401);
    });

    it('a client created after the time of a clock set back is accepted with its tokens', async () => {
      const processes = one();
      const secret = await processes.addClient('young');
      await addKeyClient(processes.settings, 'young-with-key', [key]);
      const ahead = processes.now() - Date.now();
      await whileOff(-ahead - hourMs, async () => {
        const [token = ''] = await processes.tokens(secret);
        const seconds = Math.floor((Date.now() - hourMs) / 1000);
        const claims = assertionClaims('young-with-key', issuer, { iat: seconds, exp: seconds + 60 });
        const reply = await postForm(service().url, assertionForm(await signAssertion(key, claims)));
        assert.equal(reply.status, 200, reply.text);
        await processes.letIn([token, reply.json<{ access_token: string }>().access_token]);
      });
    });
  });
}
