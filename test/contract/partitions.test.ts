import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import type { Storage } from '../../src/storage/port.ts';
import { apply, insertAll, register } from '../support/databases/batches.ts';
import { postgresDatabase } from '../support/databases/databases.ts';
import { documentedStatements } from '../support/databases/partitions.ts';
import { createDatabase } from '../support/databases/postgres.ts';
import { erasureOf, newEvent, newRecord } from '../support/databases/records.ts';

const everything = { after: 0, until: Number.MAX_SAFE_INTEGER, owner: null, limit: 1_000 };
const owners = ['usr_abcdefgh-one', 'usr_abcdefgh-two', 'usr_somebody-else'] as const;

describe('a partitioned event log, by the statements of docs/scale.md', () => {
  /** A process from before the partitions, and one that starts later. */
  let storage: Storage;
  let later: Storage;
  let client: Client;
  let url: string;
  /** The first position of the second partition. */
  let bound = 0;
  before(async () => {
    url = await createDatabase();
    storage = await postgresDatabase(url).open();
    client = new Client({ connectionString: url });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await later.close();
    await storage.close();
  });

  const run = async (heading: string) => {
    for (const statement of documentedStatements(heading, { bound, next: bound + 1_000 }))
      await client.query(statement);
  };
  const append = (count: number) =>
    apply(storage, {
      events: Array.from({ length: count }, (_, number) =>
        newEvent(number, { owner: String(owners[number % 3]) }),
      ),
    });
  const positions = async (from: Storage, owner: string | null = null) =>
    (await from.events.list({ ...everything, owner })).map(({ position }) => position);

  it('is created while processes run, and new events cross the bound', async () => {
    for (const owner of owners) await register(storage, owner, 'user', 1);
    await insertAll(
      storage,
      owners.map((owner) => newRecord({ owner })),
    );
    await append(30);
    assert.deepEqual(await storage.events.extent(), { first: 1, last: 30 });
    assert.equal((await positions(storage)).length, 30);
    bound = 35;
    await run('1. Prepare');
    await run('2. Make the partitions');
    await run('3. Add the next partition');
    await append(30);
    const found = await positions(storage);
    const expected = Array.from({ length: 60 }, (_, index) => index + 1);
    assert.deepEqual(found, expected);
    const { rows } = await client.query('select count(*)::int as count from events_2');
    assert.equal(rows[0].count, 26);
  });

  it('works after a restart as before', async () => {
    later = await postgresDatabase(url).open();
    assert.deepEqual(await positions(later), await positions(storage));
    assert.equal((await positions(later, owners[0])).length, 20);
    assert.deepEqual(await later.events.extent(), { first: 1, last: 60 });
  });

  it('keeps nothing of an erased caller in either partition, and everything else', async () => {
    await storage.records.erase(owners[1], null, erasureOf(owners[1]));
    assert.deepEqual(await positions(later, owners[1]), [61]);
    assert.equal((await positions(later)).length, 41);
  });

  it('accepts only deliveries of existing events', async () => {
    await client.query(`insert into webhooks (id, url, events, secret, created_at, state, position, failures, delivered)
      values ('whk_1', 'http://127.0.0.1:9', '*', '', 1, 'active', 0, 0, 0)`);
    const deliver = (position: number) =>
      client.query(`insert into deliveries (webhook_id, position, record_key, attempts, due_at, state)
        values ('whk_1', ${position}, '', 0, 1, 'pending')`);
    await deliver(1);
    await deliver(60);
    await assert.rejects(deliver(2), /foreign key/);
  });

  it('is pruned by dropping a partition, with its pending deliveries', async () => {
    await run('4. Drop an old partition');
    assert.deepEqual(await later.events.extent(), { first: 36, last: 61 });
    const { rows } = await client.query('select position::int from deliveries');
    assert.deepEqual(rows, [{ position: 60 }]);
    await append(1);
    assert.equal((await positions(storage)).at(-1), 62);
  });

  it('refuses a batch whose events have no partition, and nothing of it is written', async () => {
    const record = newRecord({ owner: owners[0] });
    const events = Array.from({ length: 1_000 }, (_, number) => newEvent(number));
    await assert.rejects(apply(storage, { newRecords: [record], events }), /no partition/);
    assert.equal(await storage.records.find(record.collection, record.id), null);
    await client.query('create table events_3 (like events including all)');
    await client.query('alter table events attach partition events_3 for values from (1035) to (3000)');
    await apply(storage, { newRecords: [record], events });
    assert.deepEqual(await later.events.extent(), { first: 36, last: 1_062 });
  });

  it('is pruned by the sweep like one table', async () => {
    const none = { before: Number.MAX_SAFE_INTEGER, ahead: Number.MAX_SAFE_INTEGER };
    while ((await storage.events.prune(none, 100)) === 100);
    assert.deepEqual(await later.events.extent(), { first: 1_062, last: 1_062 });
    await append(1);
    assert.deepEqual(await positions(later), [1_062, 1_063]);
  });
});
