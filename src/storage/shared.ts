import type { SharedDatabase, Storage } from './port.ts';
import { openSharedSqlite } from './sqlite/engine.ts';
import { storesOn } from './storage.ts';

/** On another thread of the process that has the database open, and has brought its tables up to date. */
export async function openShared(database: SharedDatabase): Promise<Omit<Storage, 'share'>> {
  if (database.engine === 'sqlite') return storesOn(openSharedSqlite(database.port));
  const { postgresEngine } = await import('./postgres/engine.ts');
  return storesOn(postgresEngine(database.url, database.poolSize));
}
