import type { StorageConfig } from '../config/settings.ts';
import { lookInto } from '../storage/look.ts';

/** The names of the keys that sign for this database, none where there is none yet; null where it cannot be read. */
export function storedSigningKeyIds({ databaseUrl }: StorageConfig): Promise<readonly string[] | null> {
  return lookInto(databaseUrl, async (look) => {
    if (look.state === 'absent') return [];
    return look.state === 'ready' ? (await look.reading.signingKeys.list()).map(({ kid }) => kid) : null;
  });
}
