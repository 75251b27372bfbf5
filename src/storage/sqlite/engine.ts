import { statSync } from 'node:fs';
import type { MessagePort } from 'node:worker_threads';
import { Kysely } from 'kysely';
import { OperatorError } from '../../base/errors.ts';
import type { Engine, OwnEngine } from '../engine.ts';
import type { Tables } from '../schema.ts';
import { SqliteDriver, sqliteDialect } from './dialect.ts';
import { SharedSqlite, SqliteThread } from './thread.ts';
import { sqliteTraces } from './traces.ts';
import { unavailable } from './unavailable.ts';

/** One transaction at a time has the writing connection; reads only stand in line for their thread. */
const readsAtOnce = 32;

export async function openSqlite(file: string): Promise<OwnEngine> {
  const thread = await SqliteThread.open(file).catch((error: unknown) => {
    const reason = unavailable(error)?.options.detail ?? (error as Error).message;
    throw new OperatorError(`The SQLite file "${file}" (DATABASE_URL) cannot be used: ${reason}.`);
  });
  const opened = statSync(file);
  const engine = engineOn(new SqliteDriver(async () => thread, 1));
  const readers = new SqliteDriver(
    () => SqliteThread.open(file, { dev: opened.dev, ino: opened.ino }),
    readsAtOnce,
  );
  const reader = new Kysely<Tables>({ dialect: sqliteDialect(readers) });
  return {
    ...engine,
    reader,
    watch: async (onChange) => watchDataVersion(thread, onChange),
    share: () => ({ engine: 'sqlite', port: thread.share() }),
    /** The writing connection is the last one, so that it empties the log and removes it. */
    async close() {
      await reader.destroy();
      await engine.close();
      await thread.close();
    },
  };
}

/** The same connection that writes, on another thread: a file has one writer at a time, and so has a process. */
export function openSharedSqlite(port: MessagePort): Engine {
  return engineOn(new SqliteDriver(async () => new SharedSqlite(port), 1));
}

function engineOn(driver: SqliteDriver): Engine {
  const database = new Kysely<Tables>({ dialect: sqliteDialect(driver) });
  return {
    name: 'sqlite',
    database,
    reader: database,
    lock: async () => {},
    transaction: (work) => driver.transaction(work),
    unhurried: (work) => database.transaction().execute(work),
    announce: async () => {},
    watch: async () => async () => {},
    traces: sqliteTraces(database),
    missingRights: async () => null,
    unavailable,
    async close() {
      await database.destroy();
      // Kysely does not know of it when nobody has asked through it.
      await driver.destroy();
    },
  };
}

const watchEveryMs = 400;

/**
 * `pragma data_version` moves when another connection has committed. Ours has no commands that change who may come in,
 * so other processes are all there is to watch. A look that fails is followed by the next one.
 */
function watchDataVersion(thread: SqliteThread, onChange: () => void): () => Promise<void> {
  let last: unknown;
  let looking = false;
  const look = async () => {
    if (looking) return;
    looking = true;
    try {
      const { rows } = await thread.run('pragma data_version', []);
      const version = rows[0]?.data_version;
      if (last !== undefined && version !== last) onChange();
      last = version;
    } catch {
      last = null;
    } finally {
      looking = false;
    }
  };
  const timer = setInterval(() => void look(), watchEveryMs).unref();
  void look();
  return async () => clearInterval(timer);
}
