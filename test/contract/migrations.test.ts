import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OperatorError, Refusal } from '../../src/base/errors.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { newestVersion } from '../../src/storage/migrations.ts';
import { tables } from '../../src/storage/schema.ts';
import { addOne, register } from '../support/databases/batches.ts';
import {
  createTestDatabase,
  databaseAt,
  newPlace,
  openedAt,
  storageKinds,
} from '../support/databases/databases.ts';
import { releases } from '../support/databases/future-steps.ts';
import { beginOutside } from '../support/databases/outsider.ts';

const allTables = Object.keys(tables).sort();
const newer = newestVersion + 1;
const isUnavailable = (error: unknown) => error instanceof Refusal && error.code === 'storage_unavailable';

for (const engine of storageKinds) {
  describe(`migrations on ${engine}`, () => {
    it('create every table in an empty database and record their version', async () => {
      const database = await createTestDatabase(engine);
      assert.deepEqual(await database.tables(), []);
      await (await database.open()).close();
      assert.deepEqual(await database.tables(), allTables);
      const versions = await database.query('select version from schema_migrations order by version');
      assert.equal(Number(versions.at(-1)?.version), newestVersion);
    });

    it('change nothing when they run again', async () => {
      const database = await createTestDatabase(engine);
      const first = await database.open();
      await register(first, 'somebody', 'user', 7);
      await first.close();
      const before = await database.query('select * from schema_migrations order by version');
      const second = await database.open();
      assert.equal((await register(second, 'somebody', 'user', 8)).registeredAt, 7);
      await second.close();
      assert.deepEqual(await database.query('select * from schema_migrations order by version'), before);
      assert.deepEqual(await database.tables(), allTables);
    });

    it('[F166] are applied once when six processes start at once on an empty database', async () => {
      const database = await createTestDatabase(engine);
      const storages = await Promise.all(Array.from({ length: 6 }, () => database.open()));
      await Promise.all(storages.map((storage) => storage.ping()));
      await Promise.all(storages.map((storage) => storage.close()));
      const alone = await createTestDatabase(engine);
      await (await alone.open()).close();
      const versions = 'select version from schema_migrations order by version';
      assert.deepEqual(await database.query(versions), await alone.query(versions));
    });

    if (engine !== 'sqlite')
      it('[F166] see what another process did while they waited for it, also in an older session', async () => {
        const place = await newPlace(engine);
        const database = await databaseAt(engine, place);
        const other = await beginOutside(place);
        await other.run("select pg_advisory_xact_lock(hashtextextended('vestibule:migrate', 0))");
        await other.run(
          `create table schema_migrations as
            select ${newestVersion}::bigint as version, 1::bigint as applied_at, 0::bigint as oldest`,
        );
        const waiting = await database.openEngine();
        const migrated = migrate(waiting, openedAt);
        await other.untilSomebodyWaits();
        await other.commit();
        assert.deepEqual(await migrated, []);
        await waiting.close();
        assert.deepEqual(await database.tables(), ['schema_migrations']);
      });

    it('[F166] refuse a database migrated by a newer release, in one sentence, and do not change it', async () => {
      const database = await createTestDatabase(engine);
      await (await database.open()).close();
      await database.query(
        `insert into schema_migrations (version, applied_at, oldest) values (${newer}, 1, ${newer})`,
      );
      const before = await database.query('select * from schema_migrations order by version');
      await assert.rejects(database.open(), (error) => {
        assert.ok(error instanceof OperatorError);
        assert.match(
          error.message,
          new RegExp(`^The database has schema version ${newer}, [^.]* up to ${newestVersion}[^.]*\\.$`),
        );
        return true;
      });
      assert.deepEqual(await database.query('select * from schema_migrations order by version'), before);
    });

    it('of the next release keep this one working until a contract step', async () => {
      const database = await createTestDatabase(engine);
      const old = await database.open();
      await register(old, 'usr_somebody', 'user', 1);
      const next = await database.open({ steps: releases.next });
      for (const storage of [old, next]) {
        await storage.ping();
        assert.equal(await addOne(storage, 'usr_somebody'), true);
      }
      await next.close();
      assert.ok((await database.tables()).includes('future_copies'), 'a start does not contract');
      const contracting = await database.openEngine();
      await migrate(contracting, openedAt, 'contract', releases.next);
      await contracting.close();
      assert.ok(!(await database.tables()).includes('future_copies'));
      await assert.rejects(old.ping(), isUnavailable);
      await old.close();
      await assert.rejects(database.open(), OperatorError);
    });

    it('of a newer release make a running process unready', async () => {
      const database = await createTestDatabase(engine);
      const storage = await database.open();
      await storage.ping();
      await database.query(
        `insert into schema_migrations (version, applied_at, oldest) values (${newer}, 1, ${newer})`,
      );
      await assert.rejects(storage.ping(), isUnavailable);
      await storage.close();
    });

    it('leave nothing behind when a step fails, and complete once the cause is gone', async () => {
      const database = await createTestDatabase(engine);
      // The last table of the first step is in the way, so the step fails after it has made all the others.
      await database.query('create table signing_keys (kid integer)');
      await assert.rejects(database.open());
      assert.deepEqual(await database.tables(), ['signing_keys']);
      await database.query('drop table signing_keys');
      const storage = await database.open();
      await storage.ping();
      await storage.close();
      assert.deepEqual(await database.tables(), allTables);
    });
  });
}
