import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OperatorError, Refusal } from '../../src/base/errors.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { type Migration, newestVersion } from '../../src/storage/migrations.ts';
import { planOf, schemaOf } from '../../src/storage/schema-state.ts';
import { addOne, register } from '../support/databases/batches.ts';
import { createTestDatabase, openedAt, type TestDatabase } from '../support/databases/databases.ts';
import { type Release, releases } from '../support/databases/future-steps.ts';
import { databaseEngines } from '../support/services/service.ts';

const steps = (release: Release) => ({ steps: releases[release] });

/** Runs `vestibule migrate` of that release; returns the versions it has reached. */
async function migrateBy(
  database: TestDatabase,
  release: Release,
  kind: Migration['kind'],
): Promise<number[]> {
  const engine = await database.openEngine();
  try {
    const done = await migrate(engine, openedAt, kind, releases[release]);
    return done.map(({ version }) => version);
  } finally {
    await engine.close();
  }
}

async function planBy(database: TestDatabase, release: Release) {
  const engine = await database.openEngine();
  try {
    return planOf(await schemaOf(engine, engine.database), releases[release]);
  } finally {
    await engine.close();
  }
}

const isUnready = (error: unknown) => error instanceof Refusal && error.code === 'storage_unavailable';
function says(...patterns: RegExp[]) {
  return (error: unknown) => {
    assert.ok(error instanceof OperatorError, String(error));
    assert.doesNotMatch(error.message, /\n/);
    for (const pattern of patterns) assert.match(error.message, pattern);
    return true;
  };
}

for (const engine of databaseEngines) {
  describe(`mixed releases on ${engine}`, () => {
    async function made(): Promise<TestDatabase> {
      const database = await createTestDatabase(engine);
      await (await database.open()).close();
      return database;
    }

    it('an older release stays ready, works and restarts after a newer one has expanded the schema', async () => {
      const database = await made();
      const old = await database.open();
      await register(old, 'usr_somebody', 'user', 1);
      const next = await database.open(steps('next'));
      for (const storage of [old, next, await database.open()]) {
        await storage.ping();
        await register(storage, 'usr_somebody', 'user', 2);
        assert.equal(await addOne(storage, 'usr_somebody'), true);
        assert.equal((await storage.consumers.find('usr_somebody'))?.registeredAt, 1);
        await storage.close();
      }
      const rows = await database.query('select oldest from schema_migrations order by version');
      const oldest = rows.slice(releases.now.length - 1).map((row) => Number(row.oldest));
      assert.equal(new Set(oldest).size, 1, 'who could serve before can serve now');
    });

    it('only the contract command removes tables; then the older release is unready and does not start', async () => {
      const database = await made();
      const old = await database.open();
      await (await database.open(steps('next'))).close();
      assert.ok((await database.tables()).includes('future_copies'));
      assert.deepEqual(await migrateBy(database, 'next', 'contract'), [newestVersion + 3]);
      assert.ok(!(await database.tables()).includes('future_copies'));
      await assert.rejects(old.ping(), isUnready);
      await old.close();
      await assert.rejects(
        database.open(),
        says(new RegExp(`schema version ${newestVersion + 3}, .* up to ${newestVersion}`)),
      );
      const next = await database.open(steps('next'));
      await next.ping();
      await next.close();
      assert.deepEqual(await migrateBy(database, 'next', 'contract'), []);
    });

    it('contract is refused before expand', async () => {
      const database = await made();
      await assert.rejects(
        migrateBy(database, 'next', 'contract'),
        says(/expanded first.*vestibule migrate"/),
      );
      assert.ok(!(await database.tables()).includes('future_copies'));
    });

    it('an empty database gets all steps at once, and nothing is left to contract', async () => {
      const database = await createTestDatabase(engine);
      await (await database.open(steps('next'))).close();
      assert.equal((await planBy(database, 'next')).verdict, 'nothing to do');
      assert.ok(!(await database.tables()).includes('future_copies'));
    });

    it('the plan names the kind of upgrade, before and after', async () => {
      const database = await createTestDatabase(engine);
      const verdict = async (release: Release) => (await planBy(database, release)).verdict;
      assert.equal(await verdict('now'), 'rolling');
      await (await database.open()).close();
      assert.equal(await verdict('now'), 'nothing to do');
      assert.equal(await verdict('next'), 'rolling, then contract');
      await (await database.open(steps('next'))).close();
      assert.equal(await verdict('next'), 'contract');
      assert.equal(await verdict('now'), 'nothing to do');
      await migrateBy(database, 'next', 'contract');
      assert.equal(await verdict('next'), 'nothing to do');
    });

    it('with MIGRATE off the start creates nothing, and the error names the command', async () => {
      const database = await createTestDatabase(engine);
      const off = { migrates: false };
      await assert.rejects(database.open(off), says(/MIGRATE is off.*npx vestibule migrate --plan/));
      assert.deepEqual(await database.tables(), []);
      await migrateBy(database, 'now', 'expand');
      const storage = await database.open(off);
      await storage.ping();
      await storage.close();
      await assert.rejects(database.open({ ...off, ...steps('next') }), says(/MIGRATE is off/));
    });

    it('[F166] six processes of the next release start beside an older one: each step is done once', async () => {
      const database = await made();
      const old = await database.open();
      const storages = await Promise.all(Array.from({ length: 6 }, () => database.open(steps('next'))));
      for (const storage of [old, ...storages]) {
        await storage.ping();
        await storage.close();
      }
      const rows = await database.query('select version from schema_migrations');
      assert.equal(rows.length, releases.next.length - 1, 'all but what contracts');
    });
  });
}
