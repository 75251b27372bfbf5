import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { atOnce, dayMs, deployment, hourMs } from '../support/services/deployment.ts';
import { someEngine } from '../support/services/service.ts';

const schema = 'schema: { properties: { text: { type: string, maxLength: 280 } } }';
const declarations = {
  notes: `${schema}\naccess: { clients: own }\nlimits: { per_user: 20, writes: 30/hour }`,
  trial: `${schema}\nlimits: { per_user: 7, writes: 9/min, newcomer: 5/day for 7d }`,
};

for (const engine of someEngine)
  describe(`GET /me/usage at two processes, on ${engine}`, () => {
    const two = deployment({ engine, processes: 2, declarations });
    const at = (time: number) => new Date(time).toISOString();

    it('an idle caller sees its allowances and reset times for every collection', async () => {
      await two().nextWindow(dayMs);
      const caller = await two().person();
      const now = two().now();
      const midnight = now - (now % dayMs);
      const reply = await caller.get('/me/usage');
      const registeredAt = Date.parse(String((await caller.get('/me')).json().registered_at));
      assert.deepEqual(reply.json(), {
        collections: [
          {
            name: 'notes',
            records: { used: 0, allowed: 20 },
            writes: { used: 0, allowed: 30, window_seconds: 3_600, resets_at: at(midnight + hourMs) },
            newcomer: null,
          },
          {
            name: 'trial',
            records: { used: 0, allowed: 7 },
            writes: { used: 0, allowed: 9, window_seconds: 60, resets_at: at(midnight + 60_000) },
            newcomer: {
              used: 0,
              allowed: 5,
              window_seconds: 86_400,
              resets_at: at(midnight + dayMs),
              until: at(registeredAt + 7 * dayMs),
            },
          },
        ],
      });
    });

    it('counts writes across processes, and resets them with their windows', async () => {
      await two().nextWindow(dayMs);
      const sub = 'somebody busy';
      const caller = await two().person({ sub });
      const made = await atOnce(4, (index) => caller.at(two().serviceAt(index)).make('trial', {}));
      await caller.make('notes', {});
      assert.equal((await caller.send('DELETE', `/trial/${made[0]?.record.id}`)).status, 204);
      for (const service of two().services) {
        const { records, writes, newcomer } = await caller.at(service).usage('trial');
        assert.deepEqual([records.used, writes.used, newcomer?.used], [3, 5, 5]);
        const notes = await caller.at(service).usage('notes');
        assert.deepEqual([notes.records.used, notes.writes.used, notes.newcomer], [1, 1, null]);
      }
      await two().advance(60_000);
      const aMinuteLater = await caller.usage('trial');
      assert.deepEqual(
        [aMinuteLater.records.used, aMinuteLater.writes.used, aMinuteLater.newcomer?.used],
        [3, 0, 5],
      );
      assert.ok(Date.parse(aMinuteLater.writes.resets_at) > two().now());
      await two().nextWindow(dayMs);
      const tomorrow = await (await two().person({ sub })).usage('trial');
      assert.deepEqual([tomorrow.records.used, tomorrow.writes.used, tomorrow.newcomer?.used], [3, 0, 0]);
    });

    it('does not count other callers', async () => {
      const [busy, idle] = [await two().person(), await two().person()];
      await busy.make('notes', {});
      const { records, writes } = await idle.usage('notes');
      assert.deepEqual([records.used, writes.used], [0, 0]);
    });

    it("counts a machine client's records, but not its writes", async () => {
      const machine = await two().machine('house');
      await atOnce(3, (index) => machine.at(two().serviceAt(index)).make('notes', {}));
      const { records, writes } = await machine.usage('notes');
      assert.deepEqual([records.used, writes.used], [3, 0]);
    });
  });
