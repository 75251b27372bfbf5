import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { migrate } from '../../src/storage/migrate.ts';
import type { Migration } from '../../src/storage/migrations.ts';
import {
  newSqliteFile,
  openedAt,
  postgresDatabase,
  sqliteDatabase,
  type TestDatabase,
} from '../support/databases/databases.ts';
import { releases } from '../support/databases/future-steps.ts';
import { createDatabase } from '../support/databases/postgres.ts';
import { sized } from '../support/run/size.ts';
import { databaseEngines } from '../support/services/service.ts';
import { fillRecords, impatientWriter, patienceMs } from './impatient-writer.ts';

const rows = sized(100_000, 1_000_000);
const beside = { steps: releases.next };

async function migrateTo(database: TestDatabase, steps: readonly Migration[]): Promise<void> {
  const engine = await database.openEngine();
  try {
    await migrate(engine, openedAt, 'expand', steps);
  } finally {
    await engine.close();
  }
}

for (const engine of databaseEngines) {
  describe(`a migration of ${rows} records on ${engine}`, () => {
    let address: string;
    let database: TestDatabase;
    before(async () => {
      address = engine === 'sqlite' ? newSqliteFile() : await createDatabase();
      database = engine === 'sqlite' ? sqliteDatabase(address) : postgresDatabase(address);
      await migrateTo(database, releases.now);
      await fillRecords(engine, address, rows);
    });

    it(`from the last release adds tables and columns without blocking writers for ${patienceMs[engine]} ms`, async () => {
      const writer = await impatientWriter(engine, address);
      await migrateTo(database, releases.next.slice(0, releases.now.length + 1));
      await pause(100);
      assert.ok((await writer.stop()) > 0);
      assert.ok((await database.tables()).includes('future_copies'));
    });

    if (engine === 'postgres') {
      it('adds an index without blocking writers for 100 ms', async () => {
        const writer = await impatientWriter(engine, address);
        const startedAt = performance.now();
        await migrateTo(database, releases.next);
        const took = performance.now() - startedAt;
        assert.ok((await writer.stop()) > 10);
        const found = await database.query(
          "select indisvalid from pg_index where indexrelid = 'records_revision'::regclass",
        );
        assert.deepEqual(found, [{ indisvalid: true }], `in ${took} ms`);
      });

      it('adds and drops the indexes of a declaration without blocking writers for 100 ms', async () => {
        const storage = await database.open(beside);
        const writer = await impatientWriter(engine, address);
        const index = [{ name: 'text', kind: 'text' }] as const;
        await storage.records.prepare([
          { name: 'notes', index, listedByOthers: true, expires: true, bytes: 100 },
        ]);
        const made = "select indexname from pg_indexes where indexname like 'declared_notes%'";
        assert.equal((await database.query(made)).length, 4);
        await storage.records.prepare([]);
        assert.equal((await database.query(made)).length, 0);
        assert.ok((await writer.stop()) > 10);
        await storage.close();
      });

      it('waits for a long transaction without blocking writers', async () => {
        const last = releases.next.at(-1)?.version ?? 0;
        const more: Migration = {
          version: last + 1,
          what: 'another column',
          kind: 'expand',
          async up({ schema }, types) {
            await schema.alterTable('records').addColumn('size', types.integer).execute();
          },
        };
        const reader = new Client({ connectionString: address });
        await reader.connect();
        await reader.query("begin; select * from records where collection = 'notes' and id = 'r1'");
        const writer = await impatientWriter(engine, address);
        let isDone = false;
        const migrating = migrateTo(database, [...releases.next, more]).then(() => {
          isDone = true;
        });
        await pause(1_500);
        assert.equal(isDone, false, 'the table is in use');
        await reader.query('commit');
        await reader.end();
        await migrating;
        assert.ok((await writer.stop()) > 10);
      });
    }
  });
}
