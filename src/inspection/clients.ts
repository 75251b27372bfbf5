import type { StorageConfig } from '../config/settings.ts';
import type { ClientWithSecrets } from '../storage/port.ts';
import { createClientMac } from '../tokens/client-mac.ts';
import { readStorage } from './read-storage.ts';

/** A client, and whether whoever wrote it had the master secret: if not, it is ignored. */
export type ListedClient = ClientWithSecrets & { readonly isGenuine: boolean };

/** The clients, and whether whoever wrote each had the master secret. */
export function listClients(config: StorageConfig): Promise<readonly ListedClient[]> {
  return readStorage(config, async ({ clients }, keyring) => {
    const clientMac = createClientMac(keyring.clients);
    return (await clients.list()).map((client) => ({ ...client, isGenuine: clientMac.isGenuine(client) }));
  });
}
