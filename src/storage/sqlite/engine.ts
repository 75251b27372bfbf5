import { statSync } from 'node:fs';
import { Kysely } from 'kysely';
import { OperatorError } from '../../base/errors.ts';
import { accessTo } from '../../base/file-access.ts';
import type { Engine } from '../engine.ts';
import type { Tables } from '../schema.ts';
import { sqliteDialect } from './dialect.ts';
import { SqliteReader } from './reader.ts';
import { sqliteResidue } from './residue.ts';
import { SqliteThread } from './thread.ts';
import { unavailable } from './unavailable.ts';
import { SqliteWriter } from './writer.ts';

/** Writes go through the thread that owns the one connection that writes; reads are so quick that they are done here. */
export async function openSqlite(file: string): Promise<Engine> {
  const thread = await SqliteThread.open(file).catch((error: unknown) => {
    const access = accessTo(file);
    const reason =
      access.state === 'forbidden'
        ? `${access.detail}. ${access.advice}`
        : `${unavailable(error)?.options.detail ?? (error as Error).message}.`;
    throw new OperatorError(`The SQLite file "${file}" (DATABASE_URL) cannot be used: ${reason}`);
  });
  const { dev, ino } = statSync(file);
  const writer = new SqliteWriter(thread);
  const reads = new SqliteReader(file, { dev, ino });
  const database = new Kysely<Tables>({ dialect: sqliteDialect(writer.driver) });
  const reader = new Kysely<Tables>({ dialect: sqliteDialect(reads.driver) });
  return {
    name: 'sqlite',
    database,
    reader,
    read: (sql, parameters) => reads.read(sql, parameters),
    lock: async () => {},
    async openBatches(rules) {
      await thread.decideBy(rules);
      return { run: (operations) => writer.batch(operations) };
    },
    unhurried: (work) => database.transaction().execute(work),
    announce: async () => {},
    watch: async (onChange) => watchDataVersion(thread, onChange),
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
