import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { until } from '../run/polling.ts';
import { direct } from './postgres.ts';

/** A transaction by a plain driver, open until `commit`. */
export interface Outsider {
  run(sql: string): Promise<void>;
  /** Waits until a foreign transaction waits for this one; on SQLite that is unknown. */
  untilSomebodyWaits(): Promise<void>;
  endThoseWhoWait(): Promise<void>;
  commit(): Promise<void>;
}

/** On PostgreSQL it locks what it touches; on SQLite it is the one that writes. */
export function beginOutside(url: string): Promise<Outsider> {
  return url.startsWith('postgres') ? beginOnPostgres(url) : beginOnSqlite(url);
}

async function beginOnSqlite(file: string): Promise<Outsider> {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  database.exec('begin immediate');
  return {
    run: async (sql) => database.exec(sql),
    untilSomebodyWaits: async () => {},
    endThoseWhoWait: async () => {},
    async commit() {
      database.exec('commit');
      database.close();
    },
  };
}

const waiting = 'from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))';

async function beginOnPostgres(url: string): Promise<Outsider> {
  const client = new Client({ connectionString: await direct(url) });
  await client.connect();
  await client.query('begin');
  return {
    run: async (sql) => void (await client.query(sql)),
    async untilSomebodyWaits() {
      const count = async () => (await client.query(`select 1 ${waiting}`)).rows.length;
      await until(count, (found) => found > 0, 'nobody waits');
    },
    endThoseWhoWait: async () =>
      void (await client.query(`select pg_terminate_backend(pid, 5000) ${waiting}`)),
    async commit() {
      await client.query('commit');
      await client.end();
    },
  };
}
