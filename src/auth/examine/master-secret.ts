import type { Keyring } from '../keyring.ts';
import { checkMasterSecret } from '../master-secret.ts';

type DocumentStore = Pick<Parameters<typeof checkMasterSecret>[0], 'read'>;

/** As far as it can be told without leaving a mark: a database that has none takes any master secret. */
export async function masterSecretFits(documents: DocumentStore, keyring: Keyring): Promise<boolean> {
  const read = async (name: string) => (await documents.read(name)) ?? { mac: keyring.check };
  return checkMasterSecret({ read, writeFirst: async () => {} }, keyring).then(
    () => true,
    () => false,
  );
}
