import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { WireRecord } from '../support/http/api-caller.ts';
import { assertCode } from '../support/http/code.ts';
import type { Reply } from '../support/http/request.ts';
import { tally } from '../support/load/flood.ts';
import { atOnce, deployment } from '../support/services/deployment.ts';
import { databaseEngines } from '../support/services/service.ts';

const roomy = 'limits: { writes: 1000000/day }';
const declarations = {
  notes: `
schema:
  required: [text]
  properties:
    text: { type: string, maxLength: 280 }
    count: { type: integer }
${Array.from({ length: 10 }, (_, index) => `    part${index}: { type: integer }`).join('\n')}
access: { clients: any }
${roomy}`,
  orders: `
schema: { properties: { count: { type: integer } } }
states: { draft: { submit: submitted, take: { to: taken, by: client } }, submitted: {}, taken: {} }
access: { clients: any }
concurrency: required
${roomy}`,
};

const statuses = (replies: readonly Reply[]) =>
  Object.fromEntries(tally(replies.map(({ status }) => status)));

for (const engine of databaseEngines)
  describe(`[F156] concurrent changes at two processes, on ${engine}`, () => {
    const two = deployment({ engine, processes: 2, declarations });

    for (const [method, count] of [
      ['PATCH', 100],
      ['PUT', 30],
    ] as const)
      it(`[D126] of ${count} ${method} requests with one ETag one is 200, the others are 412 with the current record`, async () => {
        const caller = await two().person();
        const { record, etag } = await caller.make('notes', { text: 'first' });
        const replies = await atOnce(count, (index) =>
          caller
            .at(two().serviceAt(index))
            .send(method, `/notes/${record.id}`, { text: `try ${index}` }, { 'if-match': etag }),
        );
        assert.deepEqual(statuses(replies), { 200: 1, 412: count - 1 });
        const winner = replies.find(({ status }) => status === 200) ?? assert.fail();
        const current = await caller.get(`/notes/${record.id}`);
        assert.equal(current.text, winner.text);
        for (const reply of replies.filter(({ status }) => status === 412)) {
          assertCode(reply, 'precondition_failed');
          assert.deepEqual(reply.json().current, winner.json());
          assert.equal(reply.headers.get('etag'), winner.headers.get('etag'));
        }
      });

    it('[D126] retries with the ETag of each 412 succeed, and no update is lost', async () => {
      const caller = await two().person();
      const { record, etag: first } = await caller.make('notes', { text: 'counter', count: 0 });
      await atOnce(10, async (index) => {
        const own = caller.at(two().serviceAt(index));
        let [count, etag] = [0, first];
        for (;;) {
          const next = { count: count + 1 };
          const reply = await own.send('PATCH', `/notes/${record.id}`, next, { 'if-match': etag });
          if (reply.status === 200) return;
          assertCode(reply, 'precondition_failed');
          count = Number(reply.json<{ current: WireRecord }>().current.count);
          etag = String(reply.headers.get('etag'));
        }
      });
      assert.equal((await caller.get(`/notes/${record.id}`)).json().count, 10);
    });

    it('[D126] of concurrent requests for one action one is 200, the others are 409', async () => {
      const caller = await two().person();
      const { record } = await caller.make('orders', {});
      const replies = await atOnce(40, (index) =>
        caller
          .at(two().serviceAt(index))
          .send('POST', `/orders/${record.id}/submit`, undefined, { 'if-match': '*' }),
      );
      assert.deepEqual(statuses(replies), { 200: 1, 409: 39 });
      const refused = replies.find(({ status }) => status === 409) ?? assert.fail();
      assertCode(refused, 'invalid_transition', { state: 'submitted', allowed: [] });
    });

    it('[D126] owner and machine client conflict with each other like any two callers', async () => {
      const machine = await two().machine('house');
      const caller = await two().person();
      const writer = (index: number) => (index % 4 < 2 ? caller : machine).at(two().serviceAt(index));
      const { record, etag } = await caller.make('notes', { text: 'first' });
      const replies = await atOnce(40, (index) =>
        writer(index).send('PATCH', `/notes/${record.id}`, { text: `try ${index}` }, { 'if-match': etag }),
      );
      assert.deepEqual(statuses(replies), { 200: 1, 412: 39 });

      const { record: order } = await caller.make('orders', {});
      const moves = await atOnce(20, (index) => {
        const action = index % 4 < 2 ? 'submit' : 'take';
        return writer(index).send('POST', `/orders/${order.id}/${action}`, undefined, { 'if-match': '*' });
      });
      assert.deepEqual(statuses(moves), { 200: 1, 409: 19 });

      const deletions = await atOnce(20, (index) => writer(index).send('DELETE', `/notes/${record.id}`));
      assert.deepEqual(statuses(deletions), { 204: 1, 404: 19 });
      assert.equal((await caller.usage('notes')).records.used, 0);
      assert.equal((await machine.usage('notes')).records.used, 0);
    });

    it('[D127] without If-Match concurrent patches of different fields are all kept', async () => {
      const caller = await two().person();
      const { record } = await caller.make('notes', { text: 'parts' });
      const replies = await atOnce(10, (index) =>
        caller.at(two().serviceAt(index)).send('PATCH', `/notes/${record.id}`, { [`part${index}`]: index }),
      );
      assert.deepEqual(statuses(replies), { 200: 10 });
      const etags = new Set(replies.map(({ headers }) => headers.get('etag')));
      assert.equal(etags.size, 10, 'each is a version of its own');
      const now = (await caller.get(`/notes/${record.id}`)).json();
      for (let index = 0; index < 10; index += 1) assert.equal(now[`part${index}`], index);
    });

    it('[D129] of 50 concurrent creations under one id one is 201, the others are 412', async () => {
      const caller = await two().person();
      const address = `/notes/${randomUUID()}`;
      const create = { 'if-none-match': '*' };
      const replies = await atOnce(50, (index) =>
        caller.at(two().serviceAt(index)).send('PUT', address, { text: `try ${index}` }, create),
      );
      assert.deepEqual(statuses(replies), { 201: 1, 412: 49 });
      assert.equal((await caller.usage('notes')).records.used, 1);
      assert.equal((await caller.all('notes')).length, 1);
    });

    it('[D129] of 20 callers creating under one id one gets 201, the others 404, and only one is charged', async () => {
      const callers = await atOnce(20, () => two().person());
      const address = `/notes/${randomUUID()}`;
      const replies = await Promise.all(
        callers.map((caller, index) =>
          caller.at(two().serviceAt(index)).send('PUT', address, { text: 'mine' }, { 'if-none-match': '*' }),
        ),
      );
      assert.deepEqual(statuses(replies), { 201: 1, 404: 19 });
      for (const [index, caller] of callers.entries()) {
        const isOwner = replies[index]?.status === 201;
        assert.equal((await caller.usage('notes')).records.used, isOwner ? 1 : 0, 'nobody else is charged');
      }
    });

    it('[D130] a record deleted during concurrent changes and reads stays deleted, and is counted once', async () => {
      const caller = await two().person();
      const { record: bystander } = await caller.make('notes', { text: 'stays' });
      for (let round = 0; round < 5; round += 1) {
        const { record } = await caller.make('notes', { text: 'goes' });
        const address = `/notes/${record.id}`;
        const replies = await atOnce(18, async (index) => {
          const own = caller.at(two().serviceAt(index));
          const kind = index % 3;
          if (kind === 0) return own.send('PATCH', address, { text: `changed ${index}` });
          return kind === 1 ? own.get(address) : own.send('DELETE', address);
        });
        const counts = tally(replies.map(({ status }) => status));
        assert.equal(counts.get(204), 1, 'one has deleted it');
        const others = [...counts.keys()].filter((status) => ![200, 204, 404].includes(status));
        assert.deepEqual(others, []);
        for (const service of two().services) assertCode(await caller.at(service).get(address), 'not_found');
        assertCode(await caller.send('PATCH', address, { text: 'risen' }), 'not_found');
        const left = (await caller.all('notes')).map(({ id }) => id);
        assert.deepEqual(left, [bystander.id]);
      }
      assert.equal((await caller.usage('notes')).records.used, 1);
    });

    for (const sort of ['created_at', '-created_at'])
      it(`[D130] paging by ${sort} misses and repeats nothing while records are created and deleted`, async () => {
        const caller = await two().person();
        const made = await atOnce(45, (index) => caller.make('notes', { text: `before ${index}` }));
        const ids = made.map(({ record }) => record.id);
        const leaving = new Set(ids.filter((_, index) => index % 5 === 0));
        const seen: string[] = [];
        const leave = [...leaving];
        for (let next: string | null = ''; next !== null; ) {
          const from: string = next === '' ? '' : `&cursor=${next}`;
          const [reply] = await Promise.all([
            caller.get(`/notes?limit=7&sort=${sort}${from}`),
            ...(seen.length < 45
              ? [caller.make('notes', { text: 'meanwhile' }), caller.make('notes', { text: 'too' })]
              : []),
            ...leave.splice(0, 2).map((id) => caller.send('DELETE', `/notes/${id}`)),
          ]);
          const page = reply.json<{ items: WireRecord[]; next: string | null }>();
          seen.push(...page.items.map(({ id }) => id));
          next = page.next;
        }
        assert.equal(new Set(seen).size, seen.length, 'none is there twice');
        const missed = ids.filter((id) => !leaving.has(id) && !seen.includes(id));
        assert.deepEqual(missed, [], 'all that were there all along are there');
      });
  });
