import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Reply } from '../support/http/request.ts';
import { tally } from '../support/load/flood.ts';
import { until } from '../support/run/polling.ts';
import { atOnce, deployment } from '../support/services/deployment.ts';
import { databaseEngines } from '../support/services/service.ts';
import { childrenOf, serving } from '../support/services/supervised.ts';

const quota = 10;
const budget = 20;
const schema = 'schema: { properties: { text: { type: string, maxLength: 280 } } }';
const declarations = {
  few: `${schema}\nlimits: { per_user: ${quota}, writes: 1000000/day }`,
  rare: `${schema}\nlimits: { writes: ${budget}/day }`,
  notes: `${schema}\nlimits: { writes: 1000000/day }`,
};

const statuses = (replies: readonly Reply[]) =>
  Object.fromEntries(tally(replies.map(({ status }) => status)));

/** One connection per request, so that both processes get requests. */
const apart = { connection: 'close' };

for (const engine of databaseEngines)
  describe(`writes at two processes behind one port, on ${engine}`, () => {
    const running = deployment({
      engine,
      declarations,
      settings: { READS_PER_MINUTE: '1000000', TEST_SERVE_OPTIONS: '--processes 2' },
    });
    const person = (sub: string) => running().person({ sub });

    it('[D129] concurrent writes fill the quota exactly', async () => {
      const caller = await person('with a quota');
      const replies = await atOnce(60, () => caller.send('POST', '/few', {}, apart));
      assert.deepEqual(statuses(replies), { 201: quota, 409: 60 - quota });
      assert.equal((await caller.all('few')).length, quota);
      assert.equal((await caller.usage('few')).records.used, quota);
      const seen = () =>
        running()
          .service.logLines()
          .filter(({ route }) => route === '/api/consumer/v1/few');
      const processes = await until(
        () => new Set(seen().map(({ process }) => process)),
        ({ size }) => size === 2,
        'one process has had all of them',
      );
      assert.deepEqual([...processes].sort(), [1, 2]);
    });

    it('[D132] concurrent writes spend the budget exactly', async () => {
      const caller = await person('with a budget');
      const replies = await atOnce(5 * budget, () => caller.send('POST', '/rare', {}, apart));
      assert.deepEqual(statuses(replies), { 201: budget, 429: 4 * budget });
      assert.equal((await caller.all('rare')).length, budget);
    });

    it('[D128] concurrent requests with one key create one record, and all get its answer', async () => {
      const caller = await person('with a key');
      const headers = { ...apart, 'idempotency-key': randomUUID() };
      const replies = await atOnce(50, () => caller.send('POST', '/notes', { text: 'once' }, headers));
      assert.deepEqual([...new Set(replies.map(({ status }) => status))], [201]);
      assert.equal(new Set(replies.map((reply) => reply.json().id)).size, 1);
      assert.equal((await caller.all('notes')).length, 1);
    });

    it('[F150] retries with their keys run once while processes are killed, and no acknowledged write is lost', async () => {
      const caller = await person('undaunted');
      const made = new Set<unknown>();
      let isOver = false;
      let unanswered = 0;
      const makeOne = async () => {
        const headers = { ...apart, 'idempotency-key': randomUUID() };
        for (;;) {
          try {
            const reply = await caller.send('POST', '/notes', { text: 'kept' }, headers);
            assert.equal(reply.status, 201, reply.text);
            made.add(reply.json().id);
            return;
          } catch (error) {
            if (error instanceof assert.AssertionError) throw error;
            unanswered += 1;
          }
        }
      };
      const callers = atOnce(8, async () => {
        while (!isOver) await makeOne();
      });
      for (let kill = 0; kill < 3; kill += 1) {
        await pause(700);
        const children = childrenOf(running().service);
        process.kill(children[kill % children.length] as number, 'SIGKILL');
      }
      await serving(running().service, 2);
      isOver = true;
      await callers;
      const found = (await caller.all('notes')).map(({ id }) => id);
      assert.deepEqual(found.toSorted(), [...made].toSorted());
      assert.equal((await caller.usage('notes')).records.used, found.length);
      assert.ok(unanswered <= 3 * 8, `${unanswered} requests were not answered`);
    });
  });
