import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiCaller } from '../support/http/api-caller.ts';
import { assertCode } from '../support/http/code.ts';
import type { WireEvent } from '../support/http/event-stream.ts';
import { until } from '../support/run/polling.ts';
import { eventDeclarations } from '../support/services/declarations.ts';
import { dayMs, deployment } from '../support/services/deployment.ts';
import { runVestibule, someEngine } from '../support/services/service.ts';

interface EventPage {
  readonly items: readonly (WireEvent & { readonly position: number })[];
  readonly next: number;
  readonly reset: boolean;
}

for (const engine of someEngine)
  describe(`GET /events as a page, at two processes on ${engine}`, () => {
    const two = deployment({ engine, processes: 2, declarations: eventDeclarations });
    const page = async (caller: ApiCaller, query = ''): Promise<EventPage> => {
      const reply = await caller.get(`/events${query}`);
      assert.equal(reply.status, 200, reply.text);
      return reply.json<EventPage>();
    };
    const someoneWaits = () =>
      until(
        async () => (await two().service.metrics()).match(/vestibule_event_requests_waiting (\d+)/)?.[1],
        (count) => count === '1',
        'nobody waits',
      );
    const elsewhere = (caller: ApiCaller) => caller.at(two().serviceAt(1));

    it('the first page is empty with a position, and the next has the events since', async () => {
      const caller = await two().person();
      await caller.make('notes', { text: 'before' });
      const begun = await page(caller);
      assert.deepEqual(begun, { items: [], next: begun.next, reset: false });
      const { record, etag } = await caller.make('notes', { text: 'after' });
      const { items, next } = await page(elsewhere(caller), `?after=${begun.next}`);
      const [created] = items;
      assert.deepEqual(items, [
        {
          position: next,
          type: 'notes.created',
          timestamp: record.created_at,
          data: { id: record.id, collection: 'notes', revision: etag.slice(1, -1), state: null },
        },
      ]);
      assert.equal(created?.position, begun.next + 1);
      assert.deepEqual(await page(caller, `?after=${next}`), { items: [], next, reset: false });
    });

    it('pages through all kept events, 100 at a time', async () => {
      const caller = await two().person();
      const ids: string[] = [];
      for (let number = 0; number < 205; number += 1) ids.push((await caller.make('notes', {})).record.id);
      const pages: EventPage[] = [];
      for (let after = 0; ; after = pages.at(-1)?.next ?? 0) {
        const one = await page(caller, `?after=${after}`);
        pages.push(one);
        if (one.items.length === 0) break;
      }
      const sizes = pages.map(({ items }) => items.length);
      assert.deepEqual(sizes, [100, 100, 5, 0]);
      assert.deepEqual(
        pages.flatMap(({ items }) => items.map(({ data }) => data.id)),
        ids,
      );
    });

    it('a long poll ends with the first event of the caller, or empty after its wait', async () => {
      const [caller, other] = [await two().person(), await two().person()];
      const { next } = await page(caller);
      const waiting = page(caller, `?after=${next}&wait=20`);
      await other.make('notes', { text: 'not for this one' });
      await elsewhere(caller).make('notes', { text: 'this is' });
      const { items } = await waiting;
      const types = items.map(({ type }) => type);
      assert.deepEqual(types, ['notes.created']);
      const inVain = page(caller, `?after=${items[0]?.position}&wait=20`);
      let isOver = false;
      void inVain.then(() => {
        isOver = true;
      });
      await someoneWaits();
      await two().advance(10_000);
      assert.equal(isOver, false);
      await two().advance(11_000);
      assert.deepEqual((await inVain).items, []);
    });

    it('a long poll accepts a token up to five seconds after its expiry', async () => {
      const caller = await two().person({ exp: Math.floor(two().now() / 1000) + 10 });
      const { next } = await page(caller);
      await two().advance(12_000);
      assert.equal((await caller.get('/me')).status, 200);
      const waiting = page(caller, `?after=${next}&wait=1`);
      await Promise.race([waiting, someoneWaits()]);
      await two().advance(1_000);
      assert.deepEqual((await waiting).items, []);
    });

    it('a long poll is refused when the token expires or the caller is suspended meanwhile', async () => {
      const expires = Math.floor(two().now() / 1000) + 10;
      const caller = await two().person({ exp: expires });
      const { next } = await page(caller);
      const waiting = caller.get(`/events?after=${next}&wait=30`);
      await someoneWaits();
      await two().advance(16_000);
      assertCode(await waiting, 'token_expired');
      const suspended = await two().person();
      const { id } = (await suspended.get('/me')).json();
      const again = suspended.get('/events?wait=30');
      await someoneWaits();
      const outcome = await runVestibule(two().settings, 'consumer', 'suspend', String(id));
      assert.equal(outcome.code, 0, outcome.stderr);
      assertCode(await again, 'consumer_suspended');
    });

    it('a list carries the position from which no event is missed', async () => {
      const caller = await two().person();
      await caller.make('notes', { text: 'listed' });
      const list = await elsewhere(caller).get('/notes');
      const position = Number(list.headers.get('events-position'));
      assert.ok(Number.isInteger(position));
      const { record } = await caller.make('notes', { text: 'afterwards' });
      const { items } = await page(elsewhere(caller), `?after=${position}`);
      assert.equal(items.at(-1)?.data.id, record.id);
    });

    it('reset is true for a position that is no longer kept or was never issued', async () => {
      const caller = await two().person();
      await caller.make('notes', {});
      await two().advance(31 * dayMs);
      const later = await two().person();
      await later.make('notes', {});
      const kept = await until(
        () => page(later, '?after=1'),
        ({ reset }) => reset,
        'old events are kept',
      );
      assert.deepEqual(kept.items, []);
      const { record } = await later.make('notes', {});
      const { items } = await page(later, `?after=${kept.next}`);
      const ids = items.map(({ data }) => data.id);
      assert.deepEqual(ids, [record.id]);
      assert.equal((await page(later, '?after=999999999')).reset, true);
      assert.equal((await page(later, '?after=0')).reset, false, 'the beginning is wherever it is now');
    });
  });
