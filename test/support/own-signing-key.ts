import { openAdministration } from '../../src/app.ts';
import { systemClock } from '../../src/base/clock.ts';
import { loadStorageConfig } from '../../src/config/load.ts';
import { openSigningKeys, type SigningKey } from '../../src/tokens/signing-keys.ts';
import type { Settings } from './service.ts';

/** The key with which the service of these settings signs the tokens of POST /token: stolen, so to say. */
export async function ownSigningKey(settings: Settings): Promise<SigningKey> {
  const { storage, keyring } = await openAdministration(loadStorageConfig(settings));
  try {
    const [current] = await openSigningKeys(storage.signingKeys, keyring.signingKeys, systemClock);
    return current;
  } finally {
    await storage.close();
  }
}
