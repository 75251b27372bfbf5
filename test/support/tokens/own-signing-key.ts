import { openAdministration } from '../../../src/compose/administration.ts';
import { loadStorageConfig } from '../../../src/config/load.ts';
import { openSigningKey, type SigningKey } from '../../../src/tokens/signing-key.ts';
import type { Settings } from '../services/service.ts';

/** The signing key of the service with these settings, as an attacker would have it. */
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
