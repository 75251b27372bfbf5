import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { ApiCaller } from '../support/http/api-caller.ts';
import { assertCode } from '../support/http/code.ts';
import { tally } from '../support/load/flood.ts';
import { atOnce, deployment } from '../support/services/deployment.ts';
import { databaseEngines } from '../support/services/service.ts';

const quota = 10;
const declarations = {
  notes: `
schema: { properties: { text: { type: string, maxLength: 280 } } }
access: { clients: any }
limits: { per_user: ${quota}, writes: 1000000/day }`,
};

for (const engine of databaseEngines)
  describe(`record quota at two processes, on ${engine}`, () => {
    const two = deployment({ engine, processes: 2, declarations });
    const create = (caller: ApiCaller, index: number) =>
      caller.at(two().serviceAt(index)).send('POST', '/notes', { text: `note ${index}` });
    const fill = (caller: ApiCaller, count: number) => atOnce(count, () => caller.make('notes', {}));
    /** Asserts that count and records agree at both processes. */
    const assertHas = async (caller: ApiCaller, count: number) => {
      assert.equal((await caller.all('notes')).length, count);
      for (const service of two().services)
        assert.deepEqual((await caller.at(service).usage('notes')).records, { used: count, allowed: quota });
    };

    it('[D129] 50 concurrent writes with room for one create one record', async () => {
      const caller = await two().person();
      await fill(caller, quota - 1);
      const replies = await atOnce(50, (index) => create(caller, index));
      assert.deepEqual(Object.fromEntries(tally(replies.map(({ status }) => status))), { 201: 1, 409: 49 });
      for (const reply of replies.filter(({ status }) => status === 409))
        assertCode(reply, 'quota_exceeded', { limit: quota });
      await assertHas(caller, quota);
    });

    it('[D129] 50 concurrent writes of a new caller fill the quota exactly', async () => {
      const caller = await two().person();
      const replies = await atOnce(50, (index) => create(caller, index));
      assert.deepEqual(Object.fromEntries(tally(replies.map(({ status }) => status))), {
        201: quota,
        409: 50 - quota,
      });
      await assertHas(caller, quota);
    });

    it('[D129] a record under a chosen id counts towards the quota', async () => {
      const caller = await two().person();
      await fill(caller, quota - 1);
      const replies = await atOnce(30, (index) =>
        caller.at(two().serviceAt(index)).send('PUT', `/notes/${randomUUID()}`, {}, { 'if-none-match': '*' }),
      );
      assert.deepEqual(Object.fromEntries(tally(replies.map(({ status }) => status))), { 201: 1, 409: 29 });
      await assertHas(caller, quota);
    });

    it('with a full quota, records can still be read, changed and deleted', async () => {
      const caller = await two().person();
      const [first] = await fill(caller, quota);
      const address = `/notes/${first?.record.id}`;
      assert.equal((await caller.get(address)).status, 200);
      assert.equal((await caller.send('PATCH', address, { text: 'changed' })).status, 200);
      assertCode(await create(caller, 0), 'quota_exceeded');
      assert.equal((await caller.send('DELETE', address)).status, 204);
      assert.equal((await create(caller, 1)).status, 201);
      assertCode(await create(caller, 0), 'quota_exceeded');
    });

    it('[D129] concurrent creations and deletions keep the record count right', async () => {
      const caller = await two().person();
      const made = await fill(caller, quota);
      const replies = await atOnce(40, (index) =>
        index % 4 === 0
          ? caller.at(two().serviceAt(index / 4)).send('DELETE', `/notes/${made[index / 4]?.record.id}`)
          : create(caller, index),
      );
      const counts = tally(replies.map(({ status }) => status));
      assert.equal(counts.get(204), quota);
      assert.equal((counts.get(201) ?? 0) + (counts.get(409) ?? 0), 30);
      await assertHas(caller, counts.get(201) ?? 0);
    });

    it('a full quota of one caller does not limit others', async () => {
      const [full, other] = [await two().person(), await two().person()];
      await fill(full, quota);
      await fill(other, quota);
      await assertHas(other, quota);
    });

    it("a machine client has no quota, and its deletions free the owner's quota", async () => {
      const machine = await two().machine('house');
      await fill(machine, quota + 2);
      assert.equal((await machine.usage('notes')).records.used, quota + 2);
      const caller = await two().person();
      const [first] = await fill(caller, quota);
      const address = `/notes/${first?.record.id}`;
      const replies = await atOnce(6, (index) => machine.at(two().serviceAt(index)).send('DELETE', address));
      assert.deepEqual(Object.fromEntries(tally(replies.map(({ status }) => status))), { 204: 1, 404: 5 });
      await assertHas(caller, quota - 1);
      assert.equal((await machine.usage('notes')).records.used, quota + 2);
      assert.equal((await create(caller, 0)).status, 201);
    });
  });
