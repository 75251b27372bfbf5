import { statSync } from 'node:fs';
import { Kysely, sql } from 'kysely';
import { OperatorError } from '../../base/errors.ts';
import { accessTo } from '../../base/file-access.ts';
import { countChange, watchChanges } from '../changes.ts';
import type { Engine } from '../engine.ts';
import type { Tables } from '../schema.ts';
import { SqliteAppendSignal } from './append-signal.ts';
import { sqliteDialect } from './dialect.ts';
import { SqliteReader } from './reader.ts';
import { sqliteResidue } from './residue.ts';
import { SqliteThread } from './thread.ts';
import { unavailable } from './unavailable.ts';
import { SqliteWriter } from './writer.ts';

/** Writes go through the thread that owns the one connection that writes; reads are so quick that they are done here. */
export async function openSqlite(file: string): Promise<Engine> {
  const thread = await SqliteThread.open(file).catch((error: unknown) => {
    throw new OperatorError(
      `The SQLite file "${file}" (DATABASE_URL) cannot be used: ${reasonWhy(file, error)}`,
    );
  });
  const { dev, ino } = statSync(file);
  const writer = new SqliteWriter(thread);
  const reads = new SqliteReader(file, { dev, ino });
  const database = new Kysely<Tables>({ dialect: sqliteDialect(writer.driver) });
  const reader = new Kysely<Tables>({ dialect: sqliteDialect(reads.driver) });
  const appended = new SqliteAppendSignal(async () => (await reads.read('pragma data_version', []))[0]?.[0]);
  return {
    name: 'sqlite',
    database,
    reader,
    read: (sql, parameters) => reads.read(sql, parameters),
    lock: async () => {},
    async openBatches(rules) {
      await thread.decideBy(rules);
      return {
        async run(operations) {
          const outcomes = await writer.batch(operations);
          appended.note();
          return outcomes;
        },
      };
    },
    unhurried: (work) => database.transaction().execute(work),
    tables: {
      // SQLite has one writer at a time, and to alter a table is to write.
      alter: (_lock, work) => database.transaction().execute(work),
      async buildIndex({ name, table, on }) {
        const index = sql`create index if not exists ${sql.id(name)} on ${sql.table(table)} ${sql.raw(on)}`;
        await index.execute(database);
      },
    },
    announce: countChange,
    async watch(onChange) {
      const changes = await watchChanges((text, parameters) => reads.read(text, parameters), onChange);
      return async () => changes.end();
    },
    heardBy: () => ({ way: 'look', because: 'SQLite has no notifications' }),
    appended,
    residue: sqliteResidue(database),
    missingRights: async () => null,
    unavailable,
    /** The connection that writes is the last one, so that it empties the log and removes it. */
    async close() {
      await reader.destroy();
      reads.close();
      await database.destroy();
      await thread.close();
    },
  };
}

function reasonWhy(file: string, error: unknown): string {
  const access = accessTo(file);
  if (access.state === 'forbidden') return `${access.detail}. ${access.advice}`;
  const { detail } = unavailable(error)?.options ?? {};
  return detail === undefined
    ? `${(error as Error).message}. Name a file whose folder this user may write to.`
    : `${detail}.`;
}
