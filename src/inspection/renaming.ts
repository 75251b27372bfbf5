import type { StorageConfig } from '../config/settings.ts';
import { createOutlook, type IssuerChange, type Outlook } from '../consumer/rename-consumers.ts';
import { readStorage } from './read-storage.ts';

/** What would become of the callers of one provider at another. Nothing is made or changed. */
export function lookAhead<T>(
  config: StorageConfig,
  issuers: IssuerChange,
  work: (outlook: Outlook) => Promise<T>,
): Promise<T> {
  return readStorage(config, ({ consumers }, keyring) =>
    work(createOutlook({ consumers, keys: keyring }, issuers)),
  );
}
