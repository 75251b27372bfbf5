import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Refusal } from '../../src/base/errors.ts';
import type { Engine } from '../../src/storage/engine.ts';
import type { StoredRecord } from '../../src/storage/port.ts';
import { openPostgres } from '../../src/storage/postgres/engine.ts';
import { createStorage } from '../../src/storage/storage.ts';
import { batchesOf, insertAll } from '../support/databases/batches.ts';
import {
  anyKeys,
  databaseAt,
  newPlace,
  newSqliteFile,
  openedAt,
  sqliteDatabase,
} from '../support/databases/databases.ts';
import { beginOutside } from '../support/databases/outsider.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { createDatabase } from '../support/databases/postgres.ts';
import { newRecord } from '../support/databases/records.ts';
import { Relay } from '../support/faults/relay.ts';
import { assertCode } from '../support/http/code.ts';
import { request } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { plainNotes } from '../support/services/declarations.ts';
import { atOnce, Deployment, deployment } from '../support/services/deployment.ts';

const isOverloaded = (says: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Refusal, String(error));
  assert.equal(error.code, 'overloaded');
  assert.match(String(error.options.detail), says);
  assert.doesNotMatch(String(error.options.detail), /another process/);
  assert.equal(error.options.retryAfterSeconds, 1);
  return true;
};

/** A transaction that stays open until `end`. */
function holdTransaction({ database }: Engine) {
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = database.transaction().execute(async () => {
    begun.resolve();
    await held.promise;
  });
  const end = () => {
    held.resolve();
    return first;
  };
  return { begun: begun.promise, end };
}

/** A refusal because of the full queue, which tells callers that nothing was begun. */
describe('a full queue for the database', () => {
  it('refuses with "overloaded", on sqlite', async (t) => {
    const engine = await sqliteDatabase(newSqliteFile()).openEngine();
    const storage = await createStorage(engine, openedAt, anyKeys);
    const batches = await batchesOf(storage);
    const insert = (record: StoredRecord) =>
      batches.run([{ kind: 'plain', keys: {}, changes: { newRecords: [record] } }]);
    const { begun, end } = holdTransaction(engine);
    t.after(async () => {
      await end();
      await storage.close();
    });
    await begun;
    const [refused, kept] = [newRecord(), newRecord()];
    const batch = insert(kept);
    const others = Array.from({ length: 4_999 }, () => storage.documents.write('name', '', new Uint8Array()));
    await assert.rejects(
      storage.documents.write('name', '', new Uint8Array()),
      isOverloaded(/queue for SQLite/),
    );
    await assert.rejects(insert(refused), isOverloaded(/queue for SQLite/));
    await end();
    // On a busy machine some of them time out, and are not there either.
    const [{ status }] = await Promise.allSettled([batch, ...others]);
    assert.equal(await storage.records.find('notes', refused.id), null);
    assert.deepEqual(await storage.records.find('notes', kept.id), status === 'fulfilled' ? kept : null);
  });

  it('[F164] refuses with "overloaded" when all sessions are busy for too long, on postgres', async (t) => {
    const url = await createDatabase();
    const engine = openPostgres(url, { poolSize: 1 });
    const storage = await createStorage(engine, openedAt, anyKeys);
    const { begun, end } = holdTransaction(engine);
    t.after(async () => {
      await end();
      await storage.close();
    });
    await begun;
    const refused = newRecord();
    await Promise.all([
      assert.rejects(storage.consumers.find('x'), isOverloaded(/in use for too long/)),
      assert.rejects(insertAll(storage, [refused]), isOverloaded(/in use for too long/)),
    ]);
    await end();
    assert.equal(await storage.consumers.find('x'), null);
    assert.equal(await storage.records.find('notes', refused.id), null);
  });
});

const isUnavailable = (error: unknown) => error instanceof Refusal && error.code === 'storage_unavailable';
const waiting =
  'select pid from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())';

describe('statements that wait for a lock that is never released', { concurrency: true }, () => {
  for (const kind of ['postgres', 'postgres behind PgBouncer'] as const) {
    it(`time out after seconds on both sides and do not pile up (${kind})`, async (t) => {
      const place = await newPlace(kind);
      const database = await databaseAt(kind, place);
      const storage = await database.open();
      t.after(() => storage.close());
      const record = newRecord();
      await insertAll(storage, [record]);
      const outside = await beginOutside(place);
      await outside.run('lock table records in access exclusive mode');
      try {
        // Twice as many as there are sessions behind PgBouncer.
        const reads = Array.from({ length: 9 }, () => storage.records.find('notes', record.id));
        const asked = [...reads, insertAll(storage, [newRecord()])];
        await outside.untilSomebodyWaits();
        for (const result of await Promise.allSettled(asked))
          assert.ok(result.status === 'rejected' && isUnavailable(result.reason), JSON.stringify(result));
        await until(
          () => database.query(waiting),
          (rows) => rows.length === 0,
          'PostgreSQL goes on waiting for it',
          // A write that got a session last ends by its own limit.
          8_000,
        );
      } finally {
        await outside.commit();
      }
      assert.deepEqual(await storage.records.find('notes', record.id), record);
    });
  }
});

const declarations = { notes: plainNotes(280) };

/** A process behind a relay to PostgreSQL that can stop forwarding. */
async function startBehindRelay(t: TestContext) {
  const url = new URL(await createDatabase());
  const relay = await Relay.start(new URL(url));
  t.after(() => relay.stop());
  url.host = `127.0.0.1:${relay.port}`;
  const settings = { DATABASE_URL: url.href };
  const one = await Deployment.start({ engine: 'postgres', declarations, settings });
  t.after(() => one.stop());
  const caller = await one.person();
  const { record } = await caller.make('notes', { text: 'before' });
  return { relay, one, caller, record };
}

/** Like a firewall that forgets its connections: none is refused, and none is closed. */
describe('a PostgreSQL that stops answering', () => {
  it('[F162] dependent requests get 503, others are served, and it is used again once it answers', async (t) => {
    const { relay, one, caller, record } = await startBehindRelay(t);
    const other = await one.person();
    // A caller that was seen by this process needs no query.
    assert.equal((await other.get('/me')).status, 200);
    relay.fallSilent();
    let answered = 0;
    const needIt = [
      caller.send('POST', '/notes', { text: 'never' }),
      caller.get(`/notes/${record.id}`),
      caller.get('/notes'),
    ].map(async (asked) => {
      const reply = await asked;
      answered += 1;
      return reply;
    });
    assert.equal((await other.get('/me')).status, 200);
    assert.equal(answered, 0, 'control: the others have waited all along');
    for (const reply of await Promise.all(needIt)) {
      assertCode(reply, 'storage_unavailable');
      assert.match(String(reply.headers.get('retry-after')), /^[1-9]\d*$/);
    }
    relay.speak();
    await caller.make('notes', { text: 'after' });
    const texts = (await caller.all('notes')).map(({ text }) => text);
    assert.deepEqual(texts.toSorted(), ['after', 'before']);
  });

  it('[F160] does not prevent the process from stopping', async (t) => {
    const { relay, one } = await startBehindRelay(t);
    relay.fallSilent();
    await one.service.stop();
  });
});

/** The number of attempts for a batch. */
const maxAttempts = 10;

describe('a busy PostgreSQL', () => {
  const one = deployment({ engine: 'postgres', declarations });
  const url = () => String(one().settings.DATABASE_URL);
  const sql = (text: string) => plainSql(one().settings).query(text);

  for (const state of ['40001', '40P01'])
    it(`[F164] failing with SQLSTATE ${state}: a write is retried, refused, and succeeds afterwards`, async () => {
      const caller = await one().person();
      await caller.make('notes', { text: 'before' });
      // A sequence counts what is rolled back, too.
      await sql('create sequence tries');
      await sql(`create function fail() returns trigger language plpgsql as
        $$ begin perform nextval('tries'); raise exception 'storm' using errcode = '${state}'; end $$`);
      await sql('create trigger storm before insert on records for each row execute function fail()');
      const writes = 5;
      for (let count = 0; count < writes; count += 1) {
        const reply = await caller.send('POST', '/notes', { text: 'during' });
        assertCode(reply, 'storage_unavailable');
        assert.match(String(reply.headers.get('retry-after')), /^[1-9]\d*$/);
      }
      const [tried] = await sql("select nextval('tries') as count");
      await sql('drop trigger storm on records');
      await sql('drop function fail');
      await sql('drop sequence tries');
      assert.ok(Number(tried?.count) <= writes * maxAttempts + 1, `${tried?.count} tries`);
      await caller.make('notes', { text: 'after' });
      assert.equal((await caller.all('notes')).length, 2);
      assert.equal((await caller.usage('notes')).records.used, 2);
    });

  it('[F164] with a locked table: two hundred reads time out, and other requests are served', async () => {
    const caller = await one().person();
    await caller.make('notes', { text: 'before' });
    const other = await one().person();
    assert.equal((await other.get('/me')).status, 200);
    const outsider = await beginOutside(url());
    await outsider.run('lock table records in access exclusive mode');
    let answered = 0;
    const reads = atOnce(200, async () => {
      const reply = await caller.get('/notes');
      answered += 1;
      return reply;
    });
    try {
      await outsider.untilSomebodyWaits();
      // The reads hold the turns of their caller.
      assert.equal((await other.get('/me')).status, 200);
      assert.equal((await request(`${one().service.opsUrl}/livez`)).status, 200);
      assert.equal(answered, 0, 'control: the reads have waited all along');
      // Long before the outsider ends, which it does only after this.
      for (const reply of await reads) {
        assert.equal(reply.status, 503, reply.text);
        const { code } = reply.json<{ code: string }>();
        assert.ok(['overloaded', 'storage_unavailable'].includes(code), reply.text);
        assert.match(String(reply.headers.get('retry-after')), /^[1-9]\d*$/);
      }
    } finally {
      await outsider.commit();
    }
    assert.equal((await caller.all('notes')).length, 1);
    const [sessions] = await sql(
      "select count(*) as count from pg_stat_activity where application_name = 'vestibule' and datname = current_database()",
    );
    assert.ok(Number(sessions?.count) <= 10, `${sessions?.count} sessions`);
  });
});
