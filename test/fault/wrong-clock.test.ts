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
  notes: `${schema}\nevents: full\nlimits: { writes: 10/min }`,
  trial: `${schema}\nlimits: { writes: 1000/min, newcomer: 3/day for 2d }`,
  letters: `${schema}\nlimits: { writes: 1000/min, expire: 90d }`,
};
const minuteMs = 60_000;
const steps = { 'an hour ahead': hourMs, 'an hour back': -hourMs, 'ten years ahead': 3650 * dayMs };

interface WireEvent {
  readonly position: number;
  readonly data: { readonly fields?: { readonly text: string } };
}

const readsPerMinute = 30;

for (const engine of someEngine) {
  describe(`a wall clock step, on ${engine}`, () => {
    const one = deployment({ engine, declarations, settings: { READS_PER_MINUTE: String(readsPerMinute) } });
    const service = () => one().service;
    /** A caller whose token is valid at any time of the clock. */
    const lasting = () => {
      const now = Math.floor(one().now() / 1000);
      return one().person({ iat: now - 7_200, exp: now + (2 * 3650 * dayMs) / 1000 });
    };
    const spendReads = async (caller: Awaited<ReturnType<typeof lasting>>) => {
      for (let count = 0; count < readsPerMinute; count += 1)
        assert.equal((await caller.get('/notes')).status, 200);
      assertCode(await caller.get('/notes'), 'read_limit_reached');
    };

    for (const [name, stepMs] of Object.entries(steps)) {
      it(`[F167] ${name}: tokens are checked by the wall clock, and valid again once it is reset`, async () => {
        const now = Math.floor(one().now() / 1000);
        const caller = await one().person({ iat: now, nbf: now, exp: now + 1_800 });
        assert.equal((await caller.get('/me')).status, 200);
        await service().stepWallClock(stepMs);
        const reply = await caller.get('/me');
        await service().stepWallClock(-stepMs);
        assertCode(reply, stepMs > 0 ? 'token_expired' : 'token_not_yet_valid');
        assert.equal((await caller.get('/me')).status, 200);
      });

      it(`[F167] ${name}: rate limits in this process end by the monotonic clock`, async () => {
        const caller = await lasting();
        await spendReads(caller);
        await service().stepWallClock(stepMs);
        const early = await caller.get('/notes');
        await one().advance(minuteMs);
        const late = await caller.get('/notes');
        await service().stepWallClock(-stepMs);
        assertCode(early, 'read_limit_reached');
        const seconds = Number(early.headers.get('retry-after'));
        assert.ok(seconds >= 1 && seconds <= 60, `Retry-After: ${seconds}`);
        assert.equal(late.status, 200, late.text);
        await one().advance(minuteMs);
      });

      it(`[F167] ${name}: record versions and events keep their order`, async () => {
        const caller = await lasting();
        const { record, etag } = await caller.make('notes', { text: 'first' });
        const path = `/notes/${record.id}`;
        const change = (text: string, version: string) =>
          caller.send('PATCH', path, { text }, { 'if-match': version });
        const from = (await caller.get('/events')).json<{ next: number }>().next;
        await service().stepWallClock(stepMs);
        const second = await change('second', etag);
        await service().stepWallClock(-stepMs);
        assert.equal(second.status, 200, second.text);
        const secondTag = String(second.headers.get('etag'));
        const third = await change('third', secondTag);
        assert.equal(third.status, 200, third.text);
        for (const old of [etag, secondTag]) assertCode(await change('late', old), 'precondition_failed');
        assert.equal((await caller.get(path)).json<{ text: string }>().text, 'third');
        const { items } = (await caller.get(`/events?after=${from}`)).json<{ items: WireEvent[] }>();
        assert.deepEqual(
          items.map(({ position, data }) => [position, data.fields?.text]),
          [
            [from + 1, 'second'],
            [from + 2, 'third'],
          ],
        );
      });
    }

    it('[F167] a stopped wall clock does not stop rate limits and scheduled work', async () => {
      const caller = await lasting();
      const { provider } = one();
      await spendReads(caller);
      await service().holdWallClock(true);
      const fetches = provider.fetches;
      // Keys are asked for again after ten minutes.
      await one().advance(10 * minuteMs);
      assert.ok(provider.fetches > fetches, 'what is due is not done');
      assert.equal((await caller.get('/notes')).status, 200);
      await caller.make('notes', { text: 'now' });
      await service().holdWallClock(false);
      assert.equal((await caller.get('/me')).status, 200);
    });
  });
}

const newcomersPerHour = 3;
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
