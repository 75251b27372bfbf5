import { deriveKeyring, type Keyring } from '../auth/keyring.ts';
import { masterSecretFits, otherMasterSecret } from '../auth/master-secret.ts';
import { OperatorError } from '../base/errors.ts';
import { readMasterSecret } from '../config/files.ts';
import type { StorageConfig } from '../config/settings.ts';
import { type Look, lookInto } from '../storage/look.ts';
import type { Reading } from '../storage/port.ts';

/** For a command that only looks: what it reads, or a sentence on why there is nothing that it could read. */
export function readStorage<T>(
  config: StorageConfig,
  work: (reading: Reading, keyring: Keyring) => Promise<T>,
): Promise<T> {
  return lookInto(config.databaseUrl, async (look) => {
    if (look.state !== 'ready') throw new OperatorError(whyNotRead(config, look));
    return work(look.reading, await keyringFor(config, look.reading));
  });
}

/** The keys of the database, which has to be one of this master secret. */
export async function keyringFor(config: StorageConfig, { documents }: Reading): Promise<Keyring> {
  const keyring = deriveKeyring(readMasterSecret(config));
  if (await masterSecretFits(documents, keyring)) return keyring;
  throw otherMasterSecret();
}

/** A sentence on what an operator can do. */
export function whyNotRead({ databaseUrl }: StorageConfig, look: Exclude<Look, { state: 'ready' }>): string {
  const where =
    databaseUrl.engine === 'sqlite'
      ? `The SQLite file "${databaseUrl.file}" (DATABASE_URL)`
      : 'The database set in DATABASE_URL';
  if (look.state === 'absent')
    return `${where} is not there, and a command that only looks does not make it. Check DATABASE_URL; the first "npx vestibule serve" makes it.`;
  if (look.state === 'unusable')
    return `${where} cannot be used: ${look.detail}.${look.advice === null ? '' : ` ${look.advice}`}`;
  const { version, newest } = look.plan;
  if (look.isTooNew)
    return `${where} has schema version ${version}, and this release knows versions up to ${newest}. Use a release at least as new as the one that migrated it.`;
  const found = version === 0 ? 'is empty' : `has schema version ${version}, that of an older release`;
  return `${where} ${found}, and this release reads version ${newest}. Nothing was changed: ${version === 0 ? 'the next "npx vestibule serve" of this release makes its tables' : '"npx vestibule migrate" or the next "npx vestibule serve" of this release migrates it; until then use the release that it belongs to'}.`;
}

/** For what would also write. */
export function onlyRead<DocumentStore extends object>(documents: DocumentStore) {
  return { ...documents, write: async () => {} };
}
