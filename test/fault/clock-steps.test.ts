import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertCode } from '../support/http/code.ts';
import { dayMs, deployment, hourMs } from '../support/services/deployment.ts';
import { someEngine } from '../support/services/service.ts';

const declarations = {
  notes: `
schema: { properties: { text: { type: string, maxLength: 280 } } }
events: full
limits: { writes: 100000/min }`,
};
const steps = { 'an hour ahead': hourMs, 'an hour back': -hourMs, 'ten years ahead': 3650 * dayMs };

interface WireEvent {
  readonly position: number;
  readonly data: { readonly fields?: { readonly text: string } };
}

const minuteMs = 60_000;
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
        const from = (await caller.get('/events')).json<{ next: number }>().next;
        await service().stepWallClock(stepMs);
        const second = await caller.send('PATCH', path, { text: 'second' }, { 'if-match': etag });
        await service().stepWallClock(-stepMs);
        assert.equal(second.status, 200, second.text);
        const third = await caller.send(
          'PATCH',
          path,
          { text: 'third' },
          {
            'if-match': String(second.headers.get('etag')),
          },
        );
        assert.equal(third.status, 200, third.text);
        for (const old of [etag, String(second.headers.get('etag'))])
          assertCode(
            await caller.send('PATCH', path, { text: 'late' }, { 'if-match': old }),
            'precondition_failed',
          );
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
