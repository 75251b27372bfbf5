import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refusal } from '../../src/base/errors.ts';
import { insertAll } from '../support/databases/batches.ts';
import { databaseAt, newPlace } from '../support/databases/databases.ts';
import { beginOutside } from '../support/databases/outsider.ts';
import { newRecord } from '../support/databases/records.ts';
import { until } from '../support/run/polling.ts';

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
