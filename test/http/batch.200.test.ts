import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { attackDeclarations } from '../support/people/attack-declarations.ts';
import { Person } from '../support/people/person.ts';
import { sampleDeclarations } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';
import { databaseEngines } from '../support/services/service.ts';

const declarations = { ...attackDeclarations, ...sampleDeclarations };

for (const engine of databaseEngines)
  describe(`POST /batch that succeeds, on ${engine}`, () => {
    const target = deployment({ engine, declarations, clients: { desk: [] } });
    const batch = (person: Person, operations: readonly object[], headers = {}) =>
      person.send('POST', 'batch', { operations }, headers);

    it('runs all operations in order and answers each as the single request would', async () => {
      const ada = await Person.of(target());
      const chosen = randomUUID();
      const { record, etag } = await ada.caller.make('ledger', { amount: 1 });
      const gone = await ada.make('notes', { text: 'gone' });
      const { next } = (await ada.get('events')).body;
      const { status, body, reply } = await batch(ada, [
        { create: 'notes', fields: { text: 'one', stars: 3 } },
        {
          create: 'tasks',
          id: chosen,
          fields: { label: 'x', weight: 1, place: 2, done: false, due: '2026-01-01T01:00:00+01:00' },
        },
        { update: 'tasks', id: chosen, fields: { label: 'y' } },
        { act: 'close', in: 'tasks', id: chosen },
        { update: 'ledger', id: record.id, fields: { amount: 2 }, if_match: etag.replaceAll('"', '') },
        { delete: 'notes', id: gone, if_match: '*' },
      ]);
      assert.equal(status, 200, reply.text);
      const { results } = body;
      const statuses = results.map((one: { status: number }) => one.status);
      assert.deepEqual(statuses, [201, 201, 200, 200, 200, 204]);
      assert.deepEqual(Object.keys(results[5]), ['status']);
      assert.deepEqual(
        [results[1].record.label, results[1].record.state, results[1].record.due],
        ['x', 'open', '2026-01-01T00:00:00.000Z'],
      );
      assert.deepEqual([results[2].record.label, results[2].record.actions], ['y', ['close']]);
      for (const [index, path] of [
        [0, `notes/${results[0].record.id}`],
        [3, `tasks/${chosen}`],
        [4, `ledger/${record.id}`],
      ] as const) {
        const now = await ada.get(path);
        assert.deepEqual(now.body, results[index].record);
        assert.equal(now.reply.headers.get('etag'), results[index].etag);
      }
      assert.equal((await ada.get(`notes/${gone}`)).status, 404);
      const { items } = (await ada.get(`events?after=${next}`)).body;
      assert.deepEqual(
        items.map(({ type }: { type: string }) => type),
        [
          ...['notes.created', 'tasks.created', 'tasks.changed', 'tasks.closed', 'ledger.changed'],
          'notes.deleted',
        ],
      );
      const positions = items.map(({ position }: { position: number }) => position);
      assert.deepEqual(
        positions,
        positions.map((_: number, index: number) => positions[0] + index),
      );
      assert.match(String(reply.headers.get('ratelimit')), /^"writes";r=\d+/);
    });

    it('charges each operation to the budget of its collection', async () => {
      const ada = await Person.of(target());
      const { reply } = await batch(ada, [
        ...Array.from({ length: 7 }, () => ({ create: 'notes', fields: { text: 'x' } })),
        { create: 'parcels', fields: { label: 'x' } },
      ]);
      const [notes, parcels] = [await ada.caller.usage('notes'), await ada.caller.usage('parcels')];
      const used = [notes.writes.used, notes.records.used, parcels.writes.used, parcels.records.used];
      assert.deepEqual(used, [7, 7, 1, 1]);
      // The answer shows the budget with the least left.
      const left = notes.writes.allowed - notes.writes.used;
      assert.match(String(reply.headers.get('ratelimit')), new RegExp(`^"writes";r=${left};`));
    });

    it('an action that grants a role lets later operations of the batch use that role', async () => {
      const [ada, bob] = [await Person.of(target()), await Person.of(target())];
      const id = await ada.make('items', { title: 'Drill' });
      const { status, body } = await batch(bob, [
        { act: 'request', in: 'items', id },
        { act: 'withdraw', in: 'items', id },
        { act: 'request', in: 'items', id },
      ]);
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(
        body.results.map(({ record }: { record: { roles: string[]; state: string } }) => [
          record.state,
          record.roles,
        ]),
        [
          ['requested', ['borrower']],
          ['available', []],
          ['requested', ['borrower']],
        ],
      );
      const renewed = await batch(bob, [
        { act: 'withdraw', in: 'items', id },
        { act: 'request', in: 'items', id },
      ]);
      assert.equal(renewed.status, 200, JSON.stringify(renewed.body));
      assert.deepEqual((await bob.get(`items/${id}`)).body.roles, ['borrower']);
      const lent = await batch(ada, [{ act: 'lend', in: 'items', id, input: { due: '2026-12-24' } }]);
      assert.equal(lent.body.results[0].record.due, '2026-12-24', JSON.stringify(lent.body));
      assert.deepEqual(lent.body.results[0].record, (await ada.get(`items/${id}`)).body);
    });

    it('admits machine clients exactly where the single requests do', async () => {
      const desk = new Person(await target().machine('desk'));
      const made = await batch(desk, [{ create: 'parcels', fields: { label: 'x' } }]);
      assert.equal(made.status, 200, JSON.stringify(made.body));
      const refused = await batch(desk, [
        { create: 'parcels', fields: { label: 'y' } },
        { create: 'notes', fields: { text: 'x' } },
      ]);
      assert.deepEqual([refused.status, refused.body.code], [403, 'client_not_admitted']);
      assert.equal((await desk.get('parcels')).body.items.length, 1);
    });

    describe('with an Idempotency-Key', () => {
      const keyed = (person: Person, operations: readonly object[], key: string) =>
        batch(person, operations, { 'idempotency-key': key });

      it('runs the batch once and answers a repeat with the current records', async () => {
        const [ada, key, chosen] = [await Person.of(target()), randomUUID(), randomUUID()];
        const kept = await ada.make('notes', { text: 'kept' });
        const gone = await ada.make('notes', { text: 'gone' });
        const operations = [
          { create: 'notes', fields: { text: 'one' } },
          { create: 'parcels', id: chosen, fields: { label: 'two' } },
          { create: 'notes', fields: { text: 'three' } },
          { update: 'notes', id: gone, fields: { text: 'going' } },
          { delete: 'notes', id: gone },
          { update: 'notes', id: kept, fields: { stars: 1 } },
        ];
        const first = await keyed(ada, operations, key);
        assert.equal(first.status, 200, JSON.stringify(first.body));
        const { results } = first.body;
        const changed = await ada.patch(`notes/${results[2].record.id}`, { text: 'changed' });
        const second = await keyed(ada, operations, key);
        assert.equal(second.reply.headers.get('idempotency-replayed'), 'true');
        assert.deepEqual(second.body.results, [
          results[0],
          results[1],
          { ...results[2], etag: changed.reply.headers.get('etag'), record: changed.body },
          { status: 200 },
          { status: 204 },
          results[5],
        ]);
        assert.equal((await ada.caller.usage('notes')).writes.used, 8);
        assert.equal((await keyed(ada, operations.slice(1), key)).body.code, 'idempotency_key_reused');
      });

      it('a key is kept only for a batch that succeeds, and per caller and endpoint', async () => {
        const [ada, bob, key] = [await Person.of(target()), await Person.of(target()), randomUUID()];
        const good = [{ create: 'notes', fields: { text: 'x' } }];
        const bad = [...good, { delete: 'notes', id: randomUUID() }];
        assert.equal((await keyed(ada, bad, key)).status, 409);
        assert.equal((await keyed(ada, good, key)).reply.headers.get('idempotency-replayed'), null);
        assert.equal((await keyed(bob, good, key)).reply.headers.get('idempotency-replayed'), null);
        const single = await ada.send('POST', 'notes', { text: 'x' }, { 'idempotency-key': key });
        assert.deepEqual([single.status, single.reply.headers.get('idempotency-replayed')], [201, null]);
        assert.equal((await ada.get('notes')).body.items.length, 2);
      });

      it('creates the records once when 20 requests with one key arrive together', async () => {
        const [ada, key] = [await Person.of(target()), randomUUID()];
        const operations = Array.from({ length: 5 }, (_, index) => ({
          create: 'notes',
          fields: { text: `${index}` },
        }));
        const all = await Promise.all(Array.from({ length: 20 }, () => keyed(ada, operations, key)));
        assert.deepEqual([...new Set(all.map(({ status }) => status))], [200]);
        assert.equal(new Set(all.map(({ reply }) => reply.text)).size, 1);
        assert.equal((await ada.get('notes')).body.items.length, 5);
      });
    });
  });
