import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Client } from 'pg';
import { postgresDatabase } from '../support/databases/databases.ts';
import { direct } from '../support/databases/postgres.ts';
import type { DatabaseEngine } from '../support/services/service.ts';

/** The longest wait for a lock. On SQLite every commit holds it while the shared disk syncs. */
export const patienceMs: Readonly<Record<DatabaseEngine, number>> = { postgres: 100, sqlite: 1_000 };

/** Writes to one record after the other, and fails as soon as it waits too long for a lock. */
export interface ImpatientWriter {
  /** The number of writes. */
  stop(): Promise<number>;
}

export function impatientWriter(engine: DatabaseEngine, address: string): Promise<ImpatientWriter> {
  return engine === 'sqlite' ? sqliteWriter(address) : postgresWriter(address);
}

/** The server measures the wait, so that a busy machine does not add to it. */
async function postgresWriter(url: string): Promise<ImpatientWriter> {
  const client = new Client({ connectionString: await direct(url) });
  await client.connect();
  await client.query(`set lock_timeout = '${patienceMs.postgres}ms'`);
  let isOver = false;
  let writes = 0;
  const running = (async () => {
    while (!isOver) {
      await client.query(
        `update records set updated_at = updated_at + 1 where collection = 'notes' and id = $1`,
        [`r${writes % 1000}`],
      );
      writes += 1;
      await pause(1);
    }
  })();
  // The failure is thrown by `stop`.
  running.catch(() => {});
  return {
    async stop() {
      isOver = true;
      await running.finally(() => client.end());
      return writes;
    },
  };
}

/** On its own thread, because it waits synchronously. */
async function sqliteWriter(file: string): Promise<ImpatientWriter> {
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
     const { DatabaseSync } = require('node:sqlite');
     const database = new DatabaseSync(workerData.file, { timeout: workerData.patienceMs });
     database.exec('pragma synchronous = off');
     let writes = 0;
     let isOver = false;
     parentPort.on('message', () => { isOver = true; });
     const write = () => {
       if (isOver) { database.close(); parentPort.postMessage(writes); parentPort.close(); return; }
       database.exec("update records set updated_at = updated_at + 1 where collection = 'notes' and id = 'r" + (writes % 1000) + "'");
       writes += 1;
       setTimeout(write, 1);
     };
     write();`,
    { eval: true, workerData: { file, patienceMs: patienceMs.sqlite } },
  );
  const failed = once(worker, 'error').then(([error]) => Promise.reject(error));
  failed.catch(() => {});
  await once(worker, 'online');
  return {
    async stop() {
      const answer = once(worker, 'message');
      worker.postMessage('over');
      const [writes] = await Promise.race([answer, failed]);
      return Number(writes);
    },
  };
}

/** Inserts records in one statement. */
export async function fillRecords(engine: DatabaseEngine, address: string, count: number): Promise<void> {
  const last = count - 1;
  const columns = 'collection, id, owner, state, revision, created_at, updated_at, body';
  const values = `select 'notes', 'r' || i, 'usr_' || (i % 1000), null, 'v', i, i, '{"text":"buy milk"}' from numbers`;
  if (engine === 'postgres') {
    const numbers = `generate_series(0, ${last}) as numbers(i)`;
    await postgresDatabase(address).query(
      `insert into records (${columns}) ${values.replace('from numbers', `from ${numbers}`)}`,
    );
    return;
  }
  using database = new DatabaseSync(address);
  database.exec(`pragma journal_mode = wal; pragma synchronous = off;
    with recursive numbers(i) as (select 0 union all select i + 1 from numbers where i < ${last})
    insert into records (${columns}) ${values}`);
}
