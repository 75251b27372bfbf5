import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plainSql } from '../support/databases/plain-sql.ts';
import type { ApiCaller, WireRecord } from '../support/http/api-caller.ts';
import { assertCode } from '../support/http/code.ts';
import type { Reply } from '../support/http/request.ts';
import { tally } from '../support/load/flood.ts';
import { until } from '../support/run/polling.ts';
import { atOnce, dayMs, deployment } from '../support/services/deployment.ts';
import { databaseEngines } from '../support/services/service.ts';

const schema = 'schema: { properties: { text: { type: string, maxLength: 280 } } }';
const declarations = {
  notes: `${schema}\naccess: { clients: any }\nlimits: { writes: 1000000/day }`,
  orders: `${schema}\nstates: { open: { close: closed }, closed: {} }\nlimits: { writes: 1000000/day }`,
};

/** One second is promised; parallel tests can delay it. */
const promisedMs = 5_000;

interface Receipt {
  readonly erased_at: string;
  readonly records: Readonly<Record<string, number>>;
  readonly total: number;
  readonly idempotency_keys: number;
  readonly budgets_kept_until: string | null;
}

for (const engine of databaseEngines)
  describe(`DELETE /me at two processes, on ${engine}`, () => {
    const two = deployment({ engine, processes: 2, declarations });
    const erase = async (caller: ApiCaller): Promise<Receipt> => {
      const reply = await caller.send('DELETE', '/me');
      assert.equal(reply.status, 200, reply.text);
      return reply.json<Receipt>();
    };
    const fill = async (caller: ApiCaller) => {
      await atOnce(3, (index) => caller.at(two().serviceAt(index)).make('notes', { text: `note ${index}` }));
      const { record } = await caller.make('orders', {});
      const keyed = await caller.send('POST', '/notes', { text: 'keyed' }, { 'idempotency-key': 'once' });
      return { order: record, keyed: keyed.json<WireRecord>() };
    };
    const idOf = async (caller: ApiCaller) => String((await caller.get('/me')).json().id);
    /** How many rows of the database name a caller, by table. */
    const rowsOf = async (id: string) => {
      const database = plainSql(two().settings);
      const rows = await database.query(`
        select 'records' as name, count(*) as count from records where owner = '${id}'
        union all select 'usage', count(*) from usage where owner = '${id}'
        union all select 'idempotency_keys', count(*) from idempotency_keys where owner = '${id}'
        union all select 'events', count(*) from events where owner = '${id}' and type <> 'consumer.erased'
        union all select 'consumers', count(*) from consumers where id = '${id}'`);
      return Object.fromEntries(rows.map(({ name, count }) => [name, Number(count)]));
    };
    const nothing = { records: 0, usage: 0, idempotency_keys: 0, events: 0, consumers: 0 };

    it('answers with a receipt of counts and deletes every row of the caller', async () => {
      const caller = await two().person();
      const { order } = await fill(caller);
      const id = await idOf(caller);
      const held = { records: 5, usage: 2, idempotency_keys: 1, events: 5, consumers: 1 };
      assert.deepEqual(await rowsOf(id), held);
      const before = two().now();
      const { erased_at, budgets_kept_until, ...counted } = await erase(caller);
      assert.deepEqual(counted, { records: { notes: 4, orders: 1 }, total: 5, idempotency_keys: 1 });
      assert.equal(Date.parse(String(budgets_kept_until)) % 86_400_000, 0, 'until the day ends');
      assert.ok(Date.parse(erased_at) >= before - 1 && Date.parse(erased_at) <= two().now());
      assert.deepEqual(await rowsOf(id), nothing);
      for (const service of two().services) {
        assertCode(await caller.at(service).get(`/orders/${order.id}`), 'not_found');
        assert.deepEqual(await caller.at(service).all('notes'), []);
      }
    });

    it('a returning caller has the same id, a new registration date and its spent budget, at every process', async () => {
      const caller = await two().person();
      const { keyed } = await fill(caller);
      const everywhere = () =>
        Promise.all(two().services.map(async (service) => (await caller.at(service).get('/me')).json()));
      const [first] = await everywhere();
      await two().advance(60_000);
      await erase(caller);
      const now = await until(
        everywhere,
        (all) => all.every(({ registered_at }) => registered_at !== first?.registered_at),
        'somebody remembers the caller',
        promisedMs,
      );
      const ids = now.map(({ id }) => id);
      assert.deepEqual(
        ids,
        [first?.id, first?.id],
        'under the name that only its provider and we can give it',
      );
      assert.equal(new Set(now.map(({ registered_at }) => registered_at)).size, 1, 'both know when');
      for (const service of two().services) {
        const { records, writes } = await caller.at(service).usage('notes');
        assert.deepEqual([records.used, writes.used], [0, 4], 'with what it had spent');
      }
      const again = await caller.send('POST', '/notes', { text: 'another' }, { 'idempotency-key': 'once' });
      assert.equal(again.status, 201);
      assert.notEqual(again.json<WireRecord>().id, keyed.id);
    });

    it('only spent budgets stay, without the pseudonym, until their windows end', async () => {
      const kept = async () => plainSql(two().settings).query('select * from spent_budgets');
      await two().nextWindow(dayMs);
      await until(kept, (left) => left.length === 0, 'the counts of earlier tests stay');
      const caller = await two().person();
      await fill(caller);
      const id = await idOf(caller);
      await erase(caller);
      const rows = (await kept()).toSorted((one, other) =>
        String(one.collection) < String(other.collection) ? -1 : 1,
      );
      assert.deepEqual(
        rows.map(({ collection, writes, newcomer_writes }) => [
          collection,
          Number(writes),
          Number(newcomer_writes),
        ]),
        [
          ['notes', 4, 0],
          ['orders', 1, 0],
        ],
      );
      const [{ former } = {}] = rows;
      assert.ok(former instanceof Uint8Array && former.length === 32);
      assert.equal(Buffer.from(former).includes(Buffer.from(id.slice('usr_'.length), 'base64url')), false);
      await two().advance(dayMs);
      await until(kept, (left) => left.length === 0, 'the counts stay for longer than they count');
    });

    it('other callers are not affected', async () => {
      const [caller, other] = [await two().person(), await two().person()];
      await fill(caller);
      const { order } = await fill(other);
      const before = await other.get('/me');
      const export_ = (await other.get('/me/export')).text;
      await erase(caller);
      assert.equal((await other.get('/me')).text, before.text);
      assert.equal((await other.get('/me/export')).text, export_);
      assert.equal((await other.send('POST', `/orders/${order.id}/close`)).status, 200);
    });

    it('a caller without data gets an empty receipt', async () => {
      const caller = await two().person();
      const empty = { records: {}, total: 0, idempotency_keys: 0, budgets_kept_until: null };
      for (let count = 0; count < 2; count += 1) {
        const { erased_at: _, ...counted } = await erase(caller);
        assert.deepEqual(counted, empty);
      }
    });

    it('concurrent erasures count each record exactly once in total', async () => {
      const caller = await two().person();
      await fill(caller);
      const receipts = await atOnce(6, (index) => erase(caller.at(two().serviceAt(index))));
      const total = receipts.reduce((sum, { total }) => sum + total, 0);
      assert.equal(total, 5);
      const keys = receipts.reduce((sum, receipt) => sum + receipt.idempotency_keys, 0);
      assert.equal(keys, 1);
    });

    it('with concurrent writes, earlier records are erased and later ones stay', async () => {
      for (let round = 0; round < 3; round += 1) {
        const caller = await two().person();
        const idsOf = (replies: readonly Reply[]) => replies.map((reply) => reply.json<WireRecord>().id);
        const create = (index: number) => caller.at(two().serviceAt(index)).send('POST', '/notes', {});
        const before = await atOnce(10, create);
        const during: Promise<Reply>[] = [];
        for (let index = 0; index < 15; index += 1) during.push(create(index));
        const erasing = erase(caller.at(two().serviceAt(round)));
        for (let index = 0; index < 15; index += 1) during.push(create(index));
        const receipt = await erasing;
        const after = await atOnce(10, create);
        const all = [...before, ...(await Promise.all(during)), ...after];
        assert.deepEqual([...tally(all.map(({ status }) => status))], [[201, 50]]);
        const left = (await caller.all('notes')).map(({ id }) => id);
        const survivors = idsOf(before).filter((id) => left.includes(id));
        assert.deepEqual(survivors, []);
        const missing = idsOf(after).filter((id) => !left.includes(id));
        assert.deepEqual(missing, []);
        assert.equal(left.length, 50 - receipt.total);
        assert.equal((await caller.usage('notes')).records.used, left.length);
        assert.deepEqual(await rowsOf(await idOf(caller)), {
          records: left.length,
          usage: 1,
          idempotency_keys: 0,
          events: left.length,
          consumers: 1,
        });
      }
    });

    it('a machine client erases only its own records and can continue', async () => {
      const machine = await two().machine('house');
      const caller = await two().person();
      const { record } = await caller.make('notes', { text: 'of a person' });
      await atOnce(2, () => machine.make('notes', {}));
      assert.equal((await machine.send('PATCH', `/notes/${record.id}`, { text: 'seen' })).status, 200);
      const id = await idOf(machine);
      const { erased_at: _, ...counted } = await erase(machine);
      assert.deepEqual(counted, {
        records: { notes: 2 },
        total: 2,
        idempotency_keys: 0,
        budgets_kept_until: null,
      });
      assert.deepEqual(await rowsOf(id), nothing);
      assert.equal((await caller.get(`/notes/${record.id}`)).json().text, 'seen');
      await (await two().machine('house')).make('notes', {});
      await machine.at(two().serviceAt(1)).make('notes', {});
    });

    it('concurrent writes of a client to records being erased leave no rows', async () => {
      const machine = await two().machine('house');
      const caller = await two().person();
      const made = await atOnce(12, () => caller.make('notes', {}));
      const id = await idOf(caller);
      const [receipt, ...replies] = await Promise.all([
        erase(caller),
        ...made.map(({ record }, index) => {
          const own = machine.at(two().serviceAt(index));
          const address = `/notes/${record.id}`;
          return index % 2 === 0 ? own.send('DELETE', address) : own.send('PATCH', address, { text: 'x' });
        }),
      ]);
      const counts = tally(replies.map(({ status }) => status));
      const others = [...counts.keys()].filter((status) => ![200, 204, 404].includes(status));
      assert.deepEqual(others, []);
      assert.equal(receipt.total + (counts.get(204) ?? 0), 12);
      assert.deepEqual(await rowsOf(id), nothing);
    });
  });
