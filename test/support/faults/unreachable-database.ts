import { renameSync } from 'node:fs';
import { postgresDatabase } from '../databases/databases.ts';
import { postgresUrl } from '../run/surroundings.ts';
import { fileOf, type Settings } from '../services/service.ts';

const isSqlite = ({ DATABASE_URL }: Settings) => String(DATABASE_URL).startsWith('sqlite:');

/** Runs `work` while nothing reaches the database: a file that is elsewhere, or no connections, also none of before. */
export async function withoutDatabase<T>(settings: Settings, work: () => Promise<T>): Promise<T> {
  const file = fileOf(settings);
  const name = new URL(String(settings.DATABASE_URL)).pathname.slice(1);
  const end = `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`;
  if (isSqlite(settings)) renameSync(file, `${file}.away`);
  else await asAdministrator(`alter database ${name} with allow_connections false`, end);
  try {
    return await work();
  } finally {
    if (isSqlite(settings)) renameSync(`${file}.away`, file);
    else await asAdministrator(`alter database ${name} with allow_connections true`);
  }
}

async function asAdministrator(...statements: string[]): Promise<void> {
  const administrator = postgresDatabase(await postgresUrl());
  for (const statement of statements) await administrator.query(statement);
}
