import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { KyselyPlugin } from 'kysely';
import type { Engine } from '../../src/storage/engine.ts';
import { migrate } from '../../src/storage/migrate.ts';
import type { Migration } from '../../src/storage/migrations.ts';
import {
  createTestDatabase,
  newSqliteFile,
  openedAt,
  sqliteDatabase,
  type TestDatabase,
} from '../support/databases/databases.ts';
import { releases } from '../support/databases/future-steps.ts';

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
async function schemaOf({ engine, query }: TestDatabase): Promise<unknown> {
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
      const expected = await schemaOf(whole);
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
        assert.deepEqual(await schemaOf(left), expected);
      }
    });

    it('[F166] after any statement on postgres is completed at the next start', async () => {
      const whole = await at(await createTestDatabase('postgres'), way.from);
      await run(whole, way.to);
      const expected = await schemaOf(whole);
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
      assert.deepEqual(await schemaOf(database), expected);
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
