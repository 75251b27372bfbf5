import { statSync } from 'node:fs';
import type { MessagePort } from 'node:worker_threads';
import { Kysely } from 'kysely';
import { OperatorError, Refusal } from '../../base/errors.ts';
import type { Engine, OwnEngine } from '../engine.ts';
import type { Tables } from '../schema.ts';
import { sqliteDialect } from './dialect.ts';
import { SharedSqlite, SqliteError, SqliteThread } from './thread.ts';
import { sqliteTraces } from './traces.ts';

/** SQLite's result codes for "not now" and "not with this file", by their primary code. */
const unavailableCodes: Readonly<Record<number, string>> = {
  5: 'the database is locked by another process',
  6: 'a table is locked',
  8: 'the database file is read-only',
  10: 'the disk reports an input or output error',
  11: 'the database file is damaged',
  13: 'the disk is full',
  14: 'the database file cannot be opened',
  26: 'the file is not an SQLite database',
};

/** One transaction at a time has the writing connection; reads only stand in line for their thread. */
const readsAtOnce = 32;

export async function openSqlite(file: string): Promise<OwnEngine> {
  const thread = await SqliteThread.open(file).catch((error: unknown) => {
    const reason = unavailable(error)?.options.detail ?? (error as Error).message;
    throw new OperatorError(`The SQLite file "${file}" (DATABASE_URL) cannot be used: ${reason}.`);
  });
  const opened = statSync(file);
  const database = new Kysely<Tables>({ dialect: sqliteDialect(async () => thread, 1) });
  const reader = new Kysely<Tables>({
    dialect: sqliteDialect(() => SqliteThread.open(file, { dev: opened.dev, ino: opened.ino }), readsAtOnce),
  });
  return {
    ...engineOn(database),
    reader,
    watch: async (onChange) => watchDataVersion(thread, onChange),
    share: () => ({ engine: 'sqlite', port: thread.share() }),
    /** The writing connection is the last one, so that it empties the log and removes it. */
    async close() {
      await reader.destroy();
      await database.destroy();
      await thread.close();
    },
  };
}

/** The same connection that writes, on another thread: a file has one writer at a time, and so has a process. */
export function openSharedSqlite(port: MessagePort): Engine {
  return engineOn(new Kysely<Tables>({ dialect: sqliteDialect(async () => new SharedSqlite(port), 1) }));
}

function engineOn(database: Kysely<Tables>): Engine {
  return {
    name: 'sqlite',
    database,
    reader: database,
    lock: async () => {},
    unhurried: (work) => database.transaction().execute(work),
    announce: async () => {},
    watch: async () => async () => {},
    traces: sqliteTraces(database),
    unavailable,
    close: () => database.destroy(),
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

function unavailable(error: unknown): Refusal | null {
  if (!(error instanceof SqliteError)) return null;
  // No code: the thread itself is gone.
  const detail = error.resultCode === null ? error.message : unavailableCodes[error.resultCode & 0xff];
  return detail === undefined ? null : new Refusal('storage_unavailable', { detail, cause: error });
}
