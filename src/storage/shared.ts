import type { ClientMac, SharedDatabase, Storage } from './port.ts';
import { openSharedSqlite } from './sqlite/engine.ts';
import { storesOn } from './storage.ts';

/** On another thread of the process that has the database open, and has brought its tables up to date. */
export async function openShared(database: SharedDatabase): Promise<Omit<Storage, 'share'>> {
  if (database.engine === 'sqlite') return storesOn(openSharedSqlite(database.port), noClients);
  const { postgresEngine } = await import('./postgres/engine.ts');
  return storesOn(postgresEngine(database.url, database.poolSize), noClients);
}

/** Clients are the business of the thread that has the keys: here none is genuine, and none is made. */
const noClients: ClientMac = {
  of() {
    throw new Error('clients are changed on the thread that has the keys');
  },
  isGenuine: () => false,
};
