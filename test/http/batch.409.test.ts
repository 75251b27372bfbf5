import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { attackDeclarations } from '../support/people/attack-declarations.ts';
import { Person } from '../support/people/person.ts';
import { atOnce, deployment } from '../support/services/deployment.ts';
import { databaseEngines } from '../support/services/service.ts';

const declarations = {
  ...attackDeclarations,
  notes: `
schema:
  required: [text]
  properties: { text: { type: string, maxLength: 20 } }
states: { open: { close: closed }, closed: {} }
access: { update: { owner: [open] } }
limits: { per_user: 20, bytes: 100, writes: 1000/day }
`,
  ledger: `
schema: { properties: { amount: { type: integer } } }
concurrency: required
limits: { writes: 3/day }
`,
  greetings: `
schema: { properties: { text: { type: string, maxLength: 20 } } }
limits: { newcomer: 2/day for 7d }
`,
};

for (const engine of databaseEngines)
  describe(`refused POST /batch, on ${engine}`, () => {
    const target = deployment({ engine, processes: engine === 'sqlite' ? 1 : 2, declarations });
    const batch = (person: Person, operations: readonly object[]) => person.post('batch', { operations });
    const create = { create: 'notes', fields: { text: 'new' } };

    /** Asserts that a batch is refused for this operation like the single request, and changes nothing. */
    const refusedAs = async (
      person: Person,
      operation: object,
      [method, path, body, headers]: Parameters<Person['send']>,
    ) => {
      const before = (await person.get('notes')).reply.text;
      const single = await person.send(method, path, body, headers);
      const whole = await batch(person, [create, create, operation, create]);
      const { index, problem } = whole.body;
      const refusal = [whole.status, whole.body.code, index, problem];
      assert.deepEqual(refusal, [409, 'batch_refused', 2, single.body], JSON.stringify(operation));
      assert.equal(whole.body.etag ?? null, single.reply.headers.get('etag'));
      assert.equal(whole.reply.headers.has('retry-after'), single.reply.headers.has('retry-after'));
      assert.equal(whole.reply.headers.get('etag'), null);
      assert.equal((await person.get('notes')).reply.text, before);
      return single.body.code as string;
    };

    it('names the refused operation with the problem that the single request would get', async () => {
      const [ada, bob] = [await Person.of(target()), await Person.of(target())];
      const note = await ada.make('notes', { text: 'x' });
      const closed = await ada.make('notes', { text: 'closed' });
      await ada.post(`notes/${closed}/close`);
      const line = await ada.make('ledger', { amount: 1 });
      const foreign = await bob.make('notes', { text: 'of bob' });
      const item = await bob.make('items', { title: 'of bob' });
      const missing = randomUUID();
      const long = { text: 'x'.repeat(21) };
      const [fields, onlyNew] = [{ text: 'x' }, { 'if-none-match': '*' }];
      const outdated = { update: 'notes', id: note, fields: {}, if_match: 'stale' };
      const lend = { act: 'lend', in: 'items', id: item, input: { due: 1 } };
      const codes = [
        await refusedAs(ada, { update: 'notes', id: missing, fields: {} }, ['PATCH', `notes/${missing}`, {}]),
        await refusedAs(ada, { update: 'notes', id: foreign, fields: {} }, ['PATCH', `notes/${foreign}`, {}]),
        await refusedAs(ada, { delete: 'notes', id: 'no id' }, ['DELETE', 'notes/no%20id']),
        await refusedAs(ada, { delete: 'nothing', id: note }, ['DELETE', `nothing/${note}`]),
        await refusedAs(ada, { act: 'open', in: 'notes', id: note }, ['POST', `notes/${note}/open`]),
        await refusedAs(ada, { create: 'notes', id: note, fields }, [
          'PUT',
          `notes/${note}`,
          fields,
          onlyNew,
        ]),
        await refusedAs(ada, { create: 'notes', fields: long }, ['POST', 'notes', long]),
        await refusedAs(ada, { create: 'notes', fields: {} }, ['POST', 'notes', {}]),
        await refusedAs(ada, { update: 'notes', id: note, fields: long }, ['PATCH', `notes/${note}`, long]),
        await refusedAs(ada, { update: 'notes', id: closed, fields: {} }, ['PATCH', `notes/${closed}`, {}]),
        await refusedAs(ada, { act: 'close', in: 'notes', id: closed }, ['POST', `notes/${closed}/close`]),
        await refusedAs(ada, outdated, ['PATCH', `notes/${note}`, {}, { 'if-match': '"stale"' }]),
        await refusedAs(ada, { delete: 'ledger', id: line }, ['DELETE', `ledger/${line}`]),
        await refusedAs(ada, { update: 'items', id: item, fields: {} }, ['PATCH', `items/${item}`, {}]),
        await refusedAs(ada, lend, ['POST', `items/${item}/lend`, { due: 1 }]),
      ];
      assert.deepEqual(codes, [
        ...Array(5).fill('not_found'),
        'precondition_failed',
        ...Array(3).fill('validation_failed'),
        'not_editable',
        'invalid_transition',
        'precondition_failed',
        'precondition_required',
        'role_required',
        'invalid_transition',
      ]);
    });

    it('names the first refused operation, even if a later one is malformed', async () => {
      const ada = await Person.of(target());
      const missing = { delete: 'notes', id: randomUUID() };
      const wrong = { create: 'notes', fields: { text: 7 } };
      const first = await batch(ada, [create, missing, wrong]);
      assert.deepEqual([first.body.index, first.body.problem.code], [1, 'not_found']);
      const second = await batch(ada, [create, wrong, missing]);
      assert.deepEqual([second.body.index, second.body.problem.code], [1, 'validation_failed']);
      const third = await batch(ada, [wrong, create]);
      assert.deepEqual([third.body.index, third.body.problem.code], [0, 'validation_failed']);
      assert.deepEqual((await ada.get('notes')).body.items, []);
    });

    it('a refused batch rolls back its records, events, budget, ids and idempotency key', async () => {
      const [ada, key, id] = [await Person.of(target()), randomUUID(), randomUUID()];
      const { next } = (await ada.get('events')).body;
      const made = { create: 'notes', id, fields: { text: 'x' } };
      const operations = [create, made, { act: 'close', in: 'notes', id }, made];
      const refused = await ada.send('POST', 'batch', { operations }, { 'idempotency-key': key });
      assert.deepEqual([refused.body.index, refused.body.problem.code], [3, 'precondition_failed']);
      assert.equal(refused.body.problem.current.state, 'closed');
      assert.deepEqual((await ada.get('notes')).body.items, []);
      assert.deepEqual((await ada.get(`events?after=${next}`)).body.items, []);
      const { records, writes } = await ada.caller.usage('notes');
      assert.deepEqual([records.used, writes.used], [0, 0]);
      const again = await ada.send('POST', 'batch', { operations: [made] }, { 'idempotency-key': key });
      assert.equal(again.status, 200, again.reply.text);
    });

    it('charges each operation, and refuses the first one past a budget or quota', async () => {
      const ada = await Person.of(target());
      const full = await batch(ada, Array(21).fill(create));
      const over = [full.body.index, full.body.problem.code, full.body.problem.limit];
      assert.deepEqual(over, [20, 'quota_exceeded', 20]);
      const spent = await batch(ada, Array(4).fill({ create: 'ledger', fields: {} }));
      const seen = [spent.status, spent.body.index, spent.body.problem.code, spent.body.problem.status];
      assert.deepEqual(seen, [409, 3, 'write_budget_spent', 429]);
      assert.ok(Number(spent.reply.headers.get('retry-after')) > 0);
      const fresh = await batch(ada, Array(3).fill({ create: 'greetings', fields: {} }));
      assert.deepEqual([fresh.body.index, fresh.body.problem.code], [2, 'newcomer_budget_spent']);
      assert.equal((await batch(ada, Array(20).fill(create))).status, 200);
    });

    it('concurrent batches never exceed the record quota', async () => {
      const ada = await Person.of(target());
      const replies = await atOnce(50, (index) =>
        ada.at(target().serviceAt(index)).post('batch', { operations: Array(7).fill(create) }),
      );
      const done = replies.filter(({ status }) => status === 200).length;
      assert.equal(done, 2, JSON.stringify(replies.map(({ status }) => status)));
      for (const { status, body } of replies.filter((one) => one.status === 409))
        assert.deepEqual([status, body.index, body.problem.code], [409, 6, 'quota_exceeded']);
      const { records, writes } = await ada.caller.usage('notes');
      assert.deepEqual([records.used, writes.used, (await ada.get('notes')).body.items.length], [14, 14, 14]);
    });

    it('[10] a batch cannot take more roles by actions than the limit per person', async () => {
      const [ada, bob] = [await Person.of(target()), await Person.of(target())];
      const ids = await atOnce(50, () => ada.make('items', { title: 'Thing' }));
      const requests = ids.map((id) => ({ act: 'request', in: 'items', id }));
      const all = await batch(bob, requests);
      assert.deepEqual([all.status, all.body.index, all.body.problem.code], [409, 5, 'quota_exceeded']);
      assert.deepEqual((await bob.get('items?role=borrower')).body.items, []);
      const some = await atOnce(25, (index) =>
        batch(bob.at(target().serviceAt(index)), requests.slice(2 * index, 2 * index + 2)),
      );
      assert.equal(some.filter(({ status }) => status === 200).length, 2);
      assert.equal((await bob.get('items?role=borrower')).body.items.length, 4);
    });
  });
