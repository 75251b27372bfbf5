import { systemClock } from '../base/clock.ts';
import { OperatorError } from '../base/errors.ts';
import type { Collection } from '../collections/collection.ts';
import { parentLinksOf } from '../collections/lineage.ts';
import { readCollectionFiles } from '../config/files.ts';
import type { Config, StorageConfig } from '../config/settings.ts';

/** The collections of COLLECTIONS_DIR. Their reader is loaded only if there are any. */
export async function readDeclaredCollections({
  collectionsDir,
  maxBodyBytes,
}: Pick<Config, 'collectionsDir' | 'maxBodyBytes'>): Promise<readonly Collection[]> {
  const files = readCollectionFiles(collectionsDir);
  if (files.length === 0) return [];
  const { readCollections } = await import('../collections/read-collections.ts');
  const declared = readCollections(files);
  const large = declared.find(({ limits }) => limits.bytes > maxBodyBytes);
  if (large === undefined) return declared;
  throw new OperatorError(
    `The collection "${large.name}" allows records of up to ${large.limits.bytes} bytes, but MAX_BODY_BYTES allows request bodies of ${maxBodyBytes}. Raise the setting or lower the limit.`,
  );
}

/** Accepts these declarations even if existing records do not fit them. */
export async function acceptBreaking(config: StorageConfig, declared: readonly Collection[]): Promise<void> {
  const { openAdministration } = await import('./administration.ts');
  const { storage, declarations } = await openAdministration(config, 'serve', systemClock);
  try {
    await storage.records.repairTallies(parentLinksOf(declared));
    await declarations.save(declared);
  } finally {
    await storage.close();
  }
}
