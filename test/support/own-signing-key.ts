import { openAdministration } from '../../src/app/administration.ts';
import { loadStorageConfig } from '../../src/config/load.ts';
import { openSigningKey, type SigningKey } from '../../src/tokens/signing-key.ts';
import type { Settings } from './service.ts';

/** The key with which the service of these settings signs the tokens of POST /token: stolen, so to say. */
export async function ownSigningKey(settings: Settings): Promise<SigningKey> {
  const { storage, keyring } = await openAdministration(loadStorageConfig(settings), 'test');
  try {
    const [record] = await storage.signingKeys.list();
    if (record === undefined) throw new Error('The service has made no key yet.');
    return openSigningKey(record, keyring.signingKeys);
  } finally {
    await storage.close();
  }
}
