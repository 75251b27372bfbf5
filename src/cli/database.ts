import type { Administration } from '../administration.ts';
import type { StorageConfig } from '../config/settings.ts';
import type { Reading } from '../storage/port.ts';

/** For commands that change something: opens the database for one piece of work. The audit names the command. */
export async function administer<T>(
  config: StorageConfig,
  command: string,
  work: (administration: Administration) => Promise<T>,
): Promise<T> {
  const { openAdministration } = await import('../administration.ts');
  const administration = await openAdministration(config, command);
  try {
    return await work(administration);
  } finally {
    await administration.storage.close();
  }
}

/** For commands that only look: nothing is made, migrated or changed. */
export async function look<T>(config: StorageConfig, work: (reading: Reading) => Promise<T>): Promise<T> {
  const { readStorage } = await import('../inspection/read-storage.ts');
  return readStorage(config, work);
}
