import { renameSync } from 'node:fs';
import { Client } from 'pg';
import { postgresUrl } from '../run/surroundings.ts';
import { fileOf, type Settings } from '../services/service.ts';

const isSqlite = ({ DATABASE_URL }: Settings) => String(DATABASE_URL).startsWith('sqlite:');

/** Runs `work` while the database cannot be reached by anybody. */
export async function withoutDatabase<T>(settings: Settings, work: () => Promise<T>): Promise<T> {
  await takeAway(settings);
  try {
    return await work();
  } finally {
    await giveBack(settings);
  }
}

/** A file that is elsewhere, or a database that takes no connections and has lost those it had. */
async function takeAway(settings: Settings): Promise<void> {
  if (isSqlite(settings)) return renameSync(fileOf(settings), `${fileOf(settings)}.away`);
  await asAdministrator(settings, (name) => [
    `alter database ${name} with allow_connections false`,
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
  ]);
}

async function giveBack(settings: Settings): Promise<void> {
  if (isSqlite(settings)) return renameSync(`${fileOf(settings)}.away`, fileOf(settings));
  await asAdministrator(settings, (name) => [`alter database ${name} with allow_connections true`]);
}

async function asAdministrator(settings: Settings, statements: (name: string) => string[]): Promise<void> {
  const client = new Client({ connectionString: await postgresUrl() });
  await client.connect();
  const name = new URL(String(settings.DATABASE_URL)).pathname.slice(1);
  for (const statement of statements(name)) await client.query(statement);
  await client.end();
}
