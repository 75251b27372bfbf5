import type { Administration } from '../compose/administration.ts';
import type { StorageConfig } from '../config/settings.ts';
import type { Storage } from '../storage/port.ts';

/** For commands that change data: opens the database for one task. The audit log names the command. */
export async function administer<T>(
  config: StorageConfig,
  command: string,
  work: (administration: Administration) => Promise<T>,
): Promise<T> {
  const { openAdministration } = await import('../compose/administration.ts');
  const administration = await openAdministration(config, command);
  try {
    return await work(administration);
  } finally {
    await administration.storage.close();
  }
}

/** For commands that only read: nothing is created, migrated or changed. */
export async function look<T>(config: StorageConfig, work: (storage: Storage) => Promise<T>): Promise<T> {
  const { readStorage } = await import('../compose/read-storage.ts');
  return readStorage(config, work);
}
