import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { plainSql } from '../support/databases/plain-sql.ts';
import type { ApiCaller, WireRecord } from '../support/http/api-caller.ts';
import { assertCode } from '../support/http/code.ts';
import { tally } from '../support/load/flood.ts';
import { until } from '../support/run/polling.ts';
import { atOnce, dayMs, deployment } from '../support/services/deployment.ts';
import { databaseEngines } from '../support/services/service.ts';

const schema = 'schema: { required: [text], properties: { text: { type: string, maxLength: 280 } } }';
const declarations = {
  notes: `${schema}\nlimits: { per_user: 3, writes: 1000000/day }`,
  fleeting: `${schema}\nlimits: { writes: 1000000/day, expire: 1h }`,
};

for (const engine of databaseEngines)
  describe(`Idempotency-Key at two processes, on ${engine}`, () => {
    const two = deployment({ engine, processes: 2, declarations });
    const post = (caller: ApiCaller, key: string, text = 'once', collection = 'notes') =>
      caller.send('POST', `/${collection}`, { text }, { 'idempotency-key': key });

    it('[D128] 50 concurrent requests with one key create one record, and all get its answer', async () => {
      const caller = await two().person();
      const key = randomUUID();
      const replies = await atOnce(50, (index) => post(caller.at(two().serviceAt(index)), key));
      assert.deepEqual([...tally(replies.map(({ status }) => status))], [[201, 50]]);
      for (const header of ['etag', 'location'])
        assert.equal(new Set(replies.map(({ headers }) => headers.get(header))).size, 1, header);
      assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
      assert.equal((await caller.all('notes')).length, 1);
      const { records, writes } = await caller.usage('notes');
      assert.deepEqual([records.used, writes.used], [1, 1], 'and it is counted once');
    });

    it('[D128] concurrent requests with one key and two bodies: one body wins, the other is 422', async () => {
      const caller = await two().person();
      const key = randomUUID();
      const replies = await atOnce(40, (index) =>
        post(caller.at(two().serviceAt(index)), key, index % 4 < 2 ? 'one' : 'other'),
      );
      assert.deepEqual(tally(replies.map(({ status }) => status)).get(201), 20);
      for (const reply of replies.filter(({ status }) => status !== 201))
        assertCode(reply, 'idempotency_key_reused');
      assert.equal((await caller.all('notes')).length, 1);
    });

    it('[D128] a key is separate for each caller and collection', async () => {
      const [one, other] = [await two().person(), await two().person()];
      const key = randomUUID();
      const replies = [
        await post(one, key),
        await post(other, key, 'something else'),
        await post(one, key, 'something else', 'fleeting'),
      ];
      assert.deepEqual([...tally(replies.map(({ status }) => status))], [[201, 3]]);
      assert.equal(new Set(replies.map((reply) => reply.json<WireRecord>().id)).size, 3);
    });

    it('[D128] a repeat answers with the current record when it was changed since', async () => {
      const caller = await two().person();
      const key = randomUUID();
      const { id } = (await post(caller, key)).json<WireRecord>();
      const changed = await caller.send('PATCH', `/notes/${id}`, { text: 'changed' });
      const again = await post(caller.at(two().serviceAt(1)), key);
      assert.equal(again.status, 201);
      assert.equal(again.text, changed.text);
      assert.equal(again.headers.get('etag'), changed.headers.get('etag'));
    });

    it('[D128] a repeat is 409 when the record was deleted since, and creates nothing', async () => {
      const caller = await two().person();
      const key = randomUUID();
      const { id } = (await post(caller, key)).json<WireRecord>();
      assert.equal((await caller.send('DELETE', `/notes/${id}`)).status, 204);
      for (const service of two().services)
        assertCode(await post(caller.at(service), key), 'idempotency_record_gone');
      assert.deepEqual(await caller.all('notes'), []);
    });

    it('[D128] a refused request leaves its key unused', async () => {
      const caller = await two().person();
      const key = randomUUID();
      for (let count = 0; count < 3; count += 1) await caller.make('notes', { text: 'full' });
      assertCode(await post(caller, key), 'quota_exceeded');
      assertCode(await post(caller, key, 'x'.repeat(281)), 'validation_failed');
      const [full] = await caller.all('notes');
      assert.equal((await caller.send('DELETE', `/notes/${full?.id}`)).status, 204);
      assert.equal((await post(caller, key, 'another text')).status, 201);
    });

    it('[D128] a repeat is 409 when the record has expired but is not yet swept', async () => {
      const exp = Math.floor(two().now() / 1000) + 7_200;
      const caller = await two().person({ exp });
      const key = randomUUID();
      assert.equal((await post(caller, key, 'once', 'fleeting')).status, 201);
      const step = async (milliseconds: number) => {
        for (const service of two().services) await service.stepWallClock(milliseconds);
      };
      await step(3_600_000);
      const reply = await post(caller, key, 'once', 'fleeting');
      await step(-3_600_000);
      assertCode(reply, 'idempotency_record_gone');
    });

    it('[D128] a key is valid for 24 hours and then deleted', async () => {
      const sub = 'somebody with a key';
      const key = randomUUID();
      const { id } = (await post(await two().person({ sub }), key)).json<WireRecord>();
      await two().advance(dayMs - 60_000);
      const lastTime = await post(await two().person({ sub }), key);
      assert.equal(lastTime.json<WireRecord>().id, id);
      await two().advance(60_000);
      const anew = await post(await two().person({ sub }), key, 'another text');
      assert.equal(anew.status, 201, anew.text);
      assert.notEqual(anew.json<WireRecord>().id, id);
      await two().advance(dayMs);
      const database = plainSql(two().settings);
      await until(
        () => database.query('select * from idempotency_keys'),
        (rows) => rows.length === 0,
        'keys that expired stay in the database',
      );
    });
  });
