import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { KyselyPlugin } from 'kysely';
import { OperatorError, Refusal } from '../../src/base/errors.ts';
import type { Engine } from '../../src/storage/engine.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { type Migration, newestVersion } from '../../src/storage/migrations.ts';
import { planOf, schemaOf } from '../../src/storage/schema-state.ts';
import { addOne, register } from '../support/databases/batches.ts';
import {
  createTestDatabase,
  newSqliteFile,
  openedAt,
  sqliteDatabase,
  type TestDatabase,
} from '../support/databases/databases.ts';
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

/** The engine, with a callback after each statement of a migration. */
function watched(engine: Engine, afterStatement: () => Promise<void>): Engine {
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await afterStatement();
      return result;
    },
  };
  const { alter, buildIndex } = engine.tables;
  return {
    ...engine,
    tables: {
      alter: (lock, work) => alter(lock, (transaction) => work(transaction.withPlugin(plugin))),
      async buildIndex(index) {
        await buildIndex(index);
        await afterStatement();
      },
    },
  };
}

async function run(database: TestDatabase, steps: readonly Migration[], afterStatement = async () => {}) {
  const engine = await database.openEngine();
  try {
    await migrate(watched(engine, afterStatement), openedAt, 'expand', steps);
  } finally {
    await engine.close();
  }
}

/** Everything that can differ between two schemas. */
async function shapeOf({ engine, query }: TestDatabase): Promise<unknown> {
  const versions = 'select version, oldest from schema_migrations order by version';
  const shape =
    engine === 'sqlite'
      ? 'select name, sql from sqlite_schema order by name'
      : `select table_name, column_name, data_type, is_nullable from information_schema.columns
         where table_schema = 'public' union all
         select tablename, indexname, indexdef, null from pg_indexes where schemaname = 'public' order by 1, 2`;
  return [await query(versions), await query(shape)];
}

/** From nothing, and from this release to the next. */
const ways = {
  'an empty database': { from: [], to: releases.next },
  'this release': { from: releases.now, to: releases.next },
} as const;

async function at(database: TestDatabase, steps: readonly Migration[]): Promise<TestDatabase> {
  if (steps.length > 0) await run(database, steps);
  return database;
}

for (const [from, way] of Object.entries(ways)) {
  describe(`a migration from ${from} that is killed`, () => {
    it('[F166] after any statement on sqlite is completed at the next start', async () => {
      const whole = await at(await createTestDatabase('sqlite'), way.from);
      await run(whole, way.to);
      const expected = await shapeOf(whole);
      const file = newSqliteFile();
      const database = await at(sqliteDatabase(file), way.from);
      const copies = new Map<string, string>();
      let statements = 0;
      // The state after kill -9: the file and its WAL as they are.
      await run(database, way.to, async () => {
        const copy = newSqliteFile();
        const files = ['', '-wal'].filter((end) => existsSync(file + end));
        for (const end of files) copyFileSync(file + end, copy + end);
        // Many copies are equal: uncommitted changes are not written yet.
        copies.set(files.map((end) => readFileSync(copy + end, 'base64')).join(), copy);
        statements += 1;
      });
      assert.ok(statements > 5, `${statements} statements`);
      for (const copy of copies.values()) {
        const left = sqliteDatabase(copy);
        await run(left, way.to);
        assert.deepEqual(await shapeOf(left), expected);
      }
    });

    it('[F166] after any statement on postgres is completed at the next start', async () => {
      const whole = await at(await createTestDatabase('postgres'), way.from);
      await run(whole, way.to);
      const expected = await shapeOf(whole);
      const database = await at(await createTestDatabase('postgres'), way.from);
      let killed = 0;
      for (let isDone = false; !isDone; ) {
        let statements = 0;
        // The effect of kill -9: all connections are gone at once, after one more statement each time.
        const kill = async () => {
          statements += 1;
          if (statements <= killed) return;
          await database.query(`select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid()`);
        };
        isDone = await run(database, way.to, kill).then(
          () => statements <= killed,
          () => false,
        );
        killed += 1;
        if (!isDone && way.from.length === 0) assert.deepEqual(await database.tables(), []);
      }
      assert.ok(killed > 5, `killed ${killed} times`);
      assert.deepEqual(await shapeOf(database), expected);
    });
  });
}

describe('an index created concurrently', () => {
  it('[F166] is created again after the process was killed meanwhile', async () => {
    const database = await createTestDatabase('postgres');
    await run(database, releases.next.slice(0, releases.now.length + 1));
    // An index that fails half-way stays invalid, is never used, and has the name of the wanted one.
    const failing = 'create unique index concurrently records_revision on schema_migrations ((0))';
    await assert.rejects(database.query(failing));
    await run(database, releases.next);
    const found = await database.query(
      "select indrelid::regclass::text as table, indisvalid from pg_index where indexrelid = 'records_revision'::regclass",
    );
    assert.deepEqual(found, [{ table: 'records', indisvalid: true }]);
  });
});
