import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiCaller } from '../support/http/api-caller.ts';
import { assertCode, assertWait } from '../support/http/code.ts';
import type { Reply } from '../support/http/request.ts';
import { tally } from '../support/load/flood.ts';
import { atOnce, dayMs, deployment, hourMs } from '../support/services/deployment.ts';
import { databaseEngines } from '../support/services/service.ts';

const schema = 'schema: { properties: { text: { type: string, maxLength: 280 } } }';
const states = 'states: { open: { close: closed }, closed: {} }';
const writes = 10;
const reads = 60;
const newcomersPerHour = 15;
const declarations = {
  notes: `${schema}\n${states}\nsearch: [text]\nhistory: true\naccess: { clients: own }\nlimits: { writes: ${writes}/hour }`,
  trial: `${schema}\nlimits: { writes: 1000/hour, newcomer: 3/day for 2d }`,
};
const settings = { READS_PER_MINUTE: String(reads), NEWCOMERS_PER_HOUR: String(newcomersPerHour) };

const statuses = (replies: readonly Reply[]) =>
  Object.fromEntries(tally(replies.map(({ status }) => status)));

/** The remaining budget in a RateLimit header, after a check of policy and seconds. */
function left(reply: Reply, policy: 'reads' | 'writes', most: number, windowSeconds: number): number {
  assert.equal(reply.headers.get('ratelimit-policy'), `"${policy}";q=${most};w=${windowSeconds}`);
  const [, count, seconds] =
    /^"(?:reads|writes)";r=(\d+);t=(\d+)$/.exec(reply.headers.get('ratelimit') ?? '') ?? [];
  assert.ok(Number(seconds) <= windowSeconds && Number(seconds) > windowSeconds - 60, `t=${seconds}`);
  return Number(count);
}

for (const engine of databaseEngines)
  describe(`write and read budgets at two processes, on ${engine}`, () => {
    const two = deployment({ engine, processes: 2, declarations, settings });
    const create = (caller: ApiCaller, index = 0, collection = 'notes') =>
      caller.at(two().serviceAt(index)).send('POST', `/${collection}`, { text: `note ${index}` });
    const spend = async (caller: ApiCaller) => {
      const replies = await atOnce(writes, (index) => create(caller, index));
      assert.deepEqual(statuses(replies), { 201: writes });
    };

    it('[D132] concurrent writes never exceed the write budget', async () => {
      await two().nextWindow(hourMs);
      const caller = await two().person();
      const replies = await atOnce(10 * writes, (index) => create(caller, index));
      assert.deepEqual(statuses(replies), { 201: writes, 429: 9 * writes });
      for (const reply of replies.filter(({ status }) => status === 429)) {
        assertWait(reply, 'write_budget_spent', 3_500, 3_600);
        assert.equal(left(reply, 'writes', writes, 3_600), 0);
      }
      const counted = replies
        .filter(({ status }) => status === 201)
        .map((reply) => left(reply, 'writes', writes, 3_600));
      assert.deepEqual(
        counted.sort((a, b) => a - b),
        Array.from({ length: writes }, (_, index) => index),
      );
      assert.equal((await caller.all('notes')).length, writes);
    });

    it('every kind of write is charged, refused writes are not, and the headers count down', async () => {
      await two().nextWindow(hourMs);
      const caller = await two().person();
      const replies = [await create(caller)];
      const address = `/notes/${replies[0]?.json().id}`;
      assertCode(await caller.send('POST', '/notes', { text: 1 }), 'validation_failed');
      const outdated = await caller.send('PATCH', address, { text: 'x' }, { 'if-match': '"other"' });
      assertCode(outdated, 'precondition_failed');
      assertCode(await caller.send('DELETE', '/notes/00000000-0000-4000-8000-000000000000'), 'not_found');
      replies.push(
        await caller.send('PATCH', address, { text: 'patched' }),
        await caller.send('PUT', address, { text: 'put' }),
        await caller.send('POST', `${address}/close`),
      );
      assertCode(await caller.send('POST', `${address}/close`), 'invalid_transition');
      replies.push(await caller.send('DELETE', address), await create(caller));
      const counted = replies.map((reply) => left(reply, 'writes', writes, 3_600));
      assert.deepEqual(counted, [9, 8, 7, 6, 5, 4]);
    });

    it('Retry-After is exact: earlier writes are 429, later ones get the full budget', async () => {
      await two().nextWindow(hourMs);
      await two().advance(20 * 60_000);
      const sub = 'somebody who waits';
      await spend(await two().person({ sub }));
      const refused = await create(await two().person({ sub }));
      const seconds = assertWait(refused, 'write_budget_spent', 2_300, 2_400);
      await two().advance((seconds - 60) * 1_000);
      assertWait(await create(await two().person({ sub }), 1), 'write_budget_spent', 1, 60);
      await two().advance(60_000);
      await spend(await two().person({ sub }));
    });

    it('[D132] a restarted process knows the spent budget', async () => {
      await two().nextWindow(hourMs);
      const caller = await two().person();
      await spend(caller);
      await two().restart();
      assertWait(await create(caller.at(two().service)), 'write_budget_spent', 3_400, 3_600);
      assertWait(await create(caller, 1), 'write_budget_spent', 3_400, 3_600);
    });

    it('[D132] a clock that is set back does not reopen a budget window', async () => {
      await two().nextWindow(hourMs);
      const issued = Math.floor(two().now() / 1000) - 7_200;
      const caller = await two().person({ iat: issued, exp: issued + 4 * 3_600 });
      await spend(caller);
      const step = async (milliseconds: number) => {
        for (const service of two().services) await service.stepWallClock(milliseconds);
      };
      await step(-30 * 60_000);
      const replies = await atOnce(6, (index) => create(caller, index));
      await step(30 * 60_000);
      for (const reply of replies) assertWait(reply, 'write_budget_spent', 1, 3_600);
      assertWait(await create(caller), 'write_budget_spent', 3_400, 3_600);
    });

    it('each caller and collection has its own budget, and machine clients have none', async () => {
      await two().nextWindow(hourMs);
      const [caller, other] = [await two().person(), await two().person()];
      await spend(caller);
      assertCode(await create(caller), 'write_budget_spent');
      assert.equal((await create(caller, 0, 'trial')).status, 201);
      await spend(other);
      const machine = await two().machine('house');
      const replies = await atOnce(2 * writes, (index) => create(machine, index));
      assert.deepEqual(statuses(replies), { 201: 2 * writes });
    });

    it('[D132] concurrent reads never exceed the read limit of each process', async () => {
      const caller = await two().person();
      const { record } = await caller.make('notes', {});
      const read = (index: number) => caller.at(two().serviceAt(index)).get(`/notes/${record.id}`);
      const first = await atOnce(10 * reads, () => read(0));
      assert.deepEqual(statuses(first), { 200: reads, 429: 9 * reads });
      for (const reply of first.filter(({ status }) => status === 429)) {
        assertWait(reply, 'read_limit_reached', 1, 60);
        assert.equal(left(reply, 'reads', reads, 60), 0);
      }
      assert.deepEqual(statuses(await atOnce(reads + 5, () => read(1))), { 200: reads, 429: 5 });
      assert.equal((await create(caller)).status, 201, 'writes are counted by themselves');
      await two().advance(60_000);
      assert.equal((await read(0)).status, 200);
    });

    it('lists, missing records, usage and export count as reads, and the headers count down', async () => {
      const caller = await two().person();
      const replies = [
        await caller.get('/notes'),
        await caller.get('/notes/00000000-0000-4000-8000-000000000000'),
        await caller.get('/me/usage'),
        await caller.get('/me/export'),
        await caller.get('/trial?limit=1'),
      ];
      const found = replies.map(({ status }) => status);
      assert.deepEqual(found, [200, 404, 200, 200, 200]);
      const shown = replies.map((reply) => left(reply, 'reads', reads, 60));
      assert.deepEqual(
        shown,
        [1, 2, 3, 4, 5].map((used) => reads - used),
      );
      const more = await atOnce(reads, () => caller.get('/notes'));
      assert.deepEqual(statuses(more), { 200: reads - 5, 429: 5 });
      for (const path of ['/me/usage', '/me/export', '/trial'])
        assertWait(await caller.get(path), 'read_limit_reached', 1, 60);
      assert.equal((await caller.get('/me')).status, 200, 'who one is can always be asked');
    });

    it('a read whose query is refused counts as a read', async () => {
      const caller = await two().person();
      const { record } = await caller.make('notes', {});
      const refused = [
        ...['/notes?unknown=1', `/notes?q=${encodeURIComponent('e\u0301'.repeat(900))}`, '/notes?cursor=x'],
        ...['/notes/count?unknown=1', `/notes/${record.id}/history?limit=0`, '/events?unknown=1'],
      ];
      for (const [index, path] of refused.entries()) {
        assert.equal((await caller.get(path)).status, 400, path);
        const { length } = refused.slice(0, index + 1);
        assert.equal(left(await caller.get('/notes'), 'reads', reads, 60), reads - 2 * length, path);
      }
      const more = await atOnce(reads, () => caller.get('/notes?unknown=1'));
      assert.deepEqual(statuses(more), { 400: reads - 2 * refused.length, 429: 2 * refused.length });
    });

    it('a refused batch counts as one read for each 64 KiB', async () => {
      const caller = await two().person();
      const batch = (bytes: number) => ({ operations: [{ update: 'x'.repeat(bytes) }] });
      const sent = async (bytes: number) =>
        left(await caller.send('POST', '/batch', batch(bytes)), 'reads', reads, 60);
      assert.equal(await sent(1), reads - 1);
      assert.equal(await sent(60_000), reads - 2);
      assert.equal(await sent(200_000), reads - 6);
      assert.equal(await sent(1_048_000), reads - 22);
      const empty = await caller.send('POST', '/notes', undefined, { 'content-type': 'application/json' });
      assert.equal(empty.status, 400);
      assert.equal(left(empty, 'reads', reads, 60), reads - 23);
    });

    it('a read counts once more for each further 200 records that it examines', async () => {
      const archive = await two().machine('archive');
      const operations = Array.from({ length: 50 }, () => ({ create: 'notes', fields: { text: 'a note' } }));
      for (let made = 0; made < 450; made += 50)
        assert.equal((await archive.send('POST', '/batch', { operations })).status, 200);
      let used = 0;
      for (const [path, units] of [
        ['/notes?limit=200', 1],
        ['/notes?q=nothing', 3],
        ['/notes/count', 3],
        ['/notes/count?q=note', 3],
        ['/me/export', 3],
      ] as const) {
        assert.equal((await archive.get(path)).status, 200);
        used += units + 1;
        assert.equal(left(await archive.get('/notes?limit=1'), 'reads', reads, 60), reads - used, path);
      }
    });

    it('a 304 counts as a read', async () => {
      const caller = await two().person();
      const { record, etag } = await caller.make('notes', {});
      const again = () => caller.get(`/notes/${record.id}`, { 'if-none-match': etag });
      assert.equal(left(await again(), 'reads', reads, 60), reads - 1);
      assert.deepEqual(statuses(await atOnce(reads + 4, again)), { 304: reads - 1, 429: 5 });
      assertWait(await caller.get(`/notes/${record.id}`), 'read_limit_reached', 1, 60);
    });

    const uncharged: Record<string, (caller: ApiCaller, id: string) => Promise<Reply>> = {
      '412': (caller, id) => caller.send('PATCH', `/notes/${id}`, {}, { 'if-match': '"another"' }),
      '404': (caller) => caller.send('DELETE', '/notes/00000000-0000-4000-8000-000000000000'),
      '422': (caller) => caller.send('POST', '/notes', { text: 1 }),
      'a replay': (caller) => caller.send('POST', '/notes', { text: 'x' }, { 'idempotency-key': 'once' }),
    };
    for (const [what, attempt] of Object.entries(uncharged))
      it(`a write that ends in ${what} counts as a read, also when concurrent`, async () => {
        await two().nextWindow(hourMs);
        const caller = await two().person();
        const { record } = await caller.make('notes', {});
        if (what === 'a replay')
          assert.equal((await attempt(caller, record.id)).headers.get('idempotency-replayed'), null);

        const first = await attempt(caller, record.id);
        assert.equal(left(first, 'reads', reads, 60), reads - 1);
        assert.equal(first.headers.get('idempotency-replayed'), what === 'a replay' ? 'true' : null);
        const replies = await atOnce(3 * reads, () => attempt(caller, record.id));
        assert.deepEqual(statuses(replies), { [first.status]: reads - 1, 429: 2 * reads + 1 });
        for (const reply of replies.filter(({ status }) => status === 429)) {
          assertWait(reply, 'read_limit_reached', 1, 60);
          assert.equal(left(reply, 'reads', reads, 60), 0);
        }
        assertWait(await caller.get('/notes'), 'read_limit_reached', 1, 60);
        assert.equal((await create(caller, 1)).status, 201, 'another process counts for itself');
      });

    it('a write refused for its budget costs no read, and such writes have their own limit per minute', async () => {
      await two().nextWindow(hourMs);
      const caller = await two().person();
      const { record } = await caller.make('notes', {});
      const attempt = () => caller.send('PATCH', `/notes/${record.id}`, { text: 'again' });
      assert.deepEqual(statuses(await atOnce(writes - 1, attempt)), { 200: writes - 1 });
      const replies = await atOnce(3 * reads, attempt);
      const codes = tally(replies.map((reply) => String(reply.json().code)));
      assert.deepEqual(Object.fromEntries(codes), {
        write_budget_spent: reads,
        read_limit_reached: 2 * reads,
      });
      assertWait(await attempt(), 'read_limit_reached', 1, 60);
      assert.equal(left(await caller.get('/notes'), 'reads', reads, 60), reads - 1, 'it can read');
      await two().advance(60_000);
      assertWait(await attempt(), 'write_budget_spent', 3_400, 3_600);
    });

    it('erasing oneself does not restore spent budgets until their windows end', async () => {
      await two().nextWindow(dayMs);
      const sub = 'somebody who begins anew';
      const caller = await two().person({ sub });
      await spend(caller);
      assert.deepEqual(statuses(await atOnce(3, (index) => create(caller, index, 'trial'))), { 201: 3 });
      for (let round = 0; round < 3; round += 1) {
        assert.equal((await caller.at(two().serviceAt(round)).send('DELETE', '/me')).status, 200);
        assertWait(await create(caller, round), 'write_budget_spent', 3_400, 3_600);
        assertWait(await create(caller, round + 1, 'trial'), 'newcomer_budget_spent', 86_200, 86_400);
      }
      const { records, writes: spent, newcomer } = await caller.usage('trial');
      assert.deepEqual([records.used, spent.used, newcomer?.used], [0, 3, 3]);
      await two().nextWindow(hourMs);
      await spend(await two().person({ sub }));
      assertCode(await create(await two().person({ sub }), 0, 'trial'), 'newcomer_budget_spent');
      await two().nextWindow(dayMs);
      const later = await two().person({ sub });
      assert.deepEqual(statuses(await atOnce(3, (index) => create(later, index, 'trial'))), { 201: 3 });
    });

    it('a newcomer has a smaller daily budget until the newcomer period ends', async () => {
      await two().nextWindow(dayMs);
      const sub = 'somebody new';
      const newcomer = () => two().person({ sub });
      const today = async (caller: ApiCaller) => {
        const replies = await atOnce(30, (index) => create(caller, index, 'trial'));
        assert.deepEqual(statuses(replies), { 201: 3, 429: 27 });
        for (const reply of replies.filter(({ status }) => status === 429))
          assertWait(reply, 'newcomer_budget_spent', 86_300, 86_400);
      };
      await today(await newcomer());
      await two().nextWindow(dayMs);
      await today(await newcomer());
      const until = Date.parse(String((await (await newcomer()).usage('trial')).newcomer?.until));
      // Just before the newcomer period ends, which is not at midnight.
      await two().advance(until - 30_000 - two().now());
      assertCode(await create(await newcomer(), 1, 'trial'), 'newcomer_budget_spent');
      await two().advance(30_000);
      const caller = await newcomer();
      assert.equal((await caller.usage('trial')).newcomer, null);
      assert.deepEqual(statuses(await atOnce(20, (index) => create(caller, index, 'trial'))), { 201: 20 });
    });

    it('too many newcomers in one hour pause only the writes of newcomers', async () => {
      const settled = { sub: 'somebody settled' };
      assert.equal((await (await two().person(settled)).get('/me')).status, 200);
      await two().advance(3 * dayMs);
      await two().nextWindow(hourMs);
      const early = await two().person();
      assert.equal((await create(early)).status, 201);
      const crowd = await atOnce(newcomersPerHour, () => two().person());
      for (const [index, caller] of crowd.entries())
        assert.equal((await caller.at(two().serviceAt(index)).get('/me')).status, 200);
      for (const [index, caller] of [early, ...crowd.slice(0, 4)].entries()) {
        for (const collection of ['notes', 'trial'])
          assertWait(await create(caller, index, collection), 'newcomers_paused', 1, 3_600);
        assert.equal((await caller.get('/notes')).status, 200, 'it can read');
      }
      const one = await early.all('notes');
      const change = await early.send('PATCH', `/notes/${one[0]?.id}`, { text: 'x' });
      assertWait(change, 'newcomers_paused', 1, 3_600);
      await spend(await two().person(settled));
      assert.equal((await create(await two().person(settled), 1, 'trial')).status, 201);
      const machine = await two().machine('house');
      assert.equal((await create(machine)).status, 201);
      await two().advance(hourMs);
      assert.equal((await create(await two().person())).status, 201, 'an hour later all is as before');
    });
  });
