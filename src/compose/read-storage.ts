import { deriveKeyring, type Keyring, masterSecretFits, otherMasterSecret } from '../auth/keyring.ts';
import { OperatorError, Refusal } from '../base/errors.ts';
import { accessTo } from '../base/files.ts';
import { readMasterSecret } from '../config/files.ts';
import type { StorageConfig } from '../config/settings.ts';
import type { Engine } from '../storage/engine.ts';
import type { Migration } from '../storage/migrations.ts';
import type { Storage } from '../storage/port.ts';
import type { MigrationPlan } from '../storage/schema-state.ts';
import { type FoundStorage, findStorage } from '../storage/storage.ts';
import { openEngine } from './open-storage.ts';

/** For commands that only read: opens the database without creating or changing a file, a table or a row. */
export async function readDatabase<T>(
  config: StorageConfig,
  work: (found: FoundStorage) => Promise<T>,
  steps?: readonly Migration[],
): Promise<T> {
  if (config.databaseUrl.engine === 'sqlite') {
    const access = accessTo(config.databaseUrl.file);
    if (access.state === 'absent') return work({ state: 'absent' });
    if (access.state === 'forbidden') return work({ ...access, state: 'unusable' });
  }
  let engine: Engine;
  try {
    engine = await openEngine(config, { readOnly: true });
  } catch (error) {
    const { detail = (error as Error).message, fault } = error instanceof Refusal ? error.options : {};
    return work({ state: 'unusable', detail, advice: null, fault });
  }
  try {
    return await work(await findStorage(engine, steps));
  } finally {
    await engine.close();
  }
}

/** The same for a command that needs the stores: throws if they cannot be read. */
export function readStorage<T>(
  config: StorageConfig,
  work: (storage: Storage, keyring: Keyring) => Promise<T>,
): Promise<T> {
  return readDatabase(config, async (found) => {
    if (found.state !== 'ready') throw new OperatorError(whyNotRead(config, found));
    return work(found.storage, await keyringFor(config, found.storage));
  });
}

/** Throws if the database belongs to another master secret. */
export async function keyringFor(
  config: StorageConfig,
  { documents }: Pick<Storage, 'documents'>,
): Promise<Keyring> {
  const keyring = deriveKeyring(readMasterSecret(config));
  if (await masterSecretFits(documents, keyring)) return keyring;
  throw otherMasterSecret();
}

export function whyNotRead(
  { databaseUrl }: StorageConfig,
  found: Exclude<FoundStorage, { state: 'ready' }>,
): string {
  const where =
    databaseUrl.engine === 'sqlite'
      ? `The SQLite file "${databaseUrl.file}" (DATABASE_URL)`
      : 'The database set in DATABASE_URL';
  if (found.state === 'absent')
    return `${where} does not exist, and a command that only reads does not create it. Check DATABASE_URL; the first "npx vestibule serve" creates it.`;
  if (found.state === 'unusable')
    return `${where} cannot be used: ${found.detail}.${found.advice === null ? '' : ` ${found.advice}`}`;
  const { version, newest } = found.plan;
  if (found.isTooNew)
    return `${where} has schema version ${version}, and this release knows versions up to ${newest}: use a release at least as new as the one that migrated it.`;
  const schema = version === 0 ? 'is empty' : `has schema version ${version}, that of an older release`;
  return `${where} ${schema}, and this release reads version ${newest}. Nothing was changed: ${version === 0 ? 'the next "npx vestibule serve" of this release makes its tables' : '"npx vestibule migrate" or the next "npx vestibule serve" of this release migrates it; until then use the release that it belongs to'}.`;
}

/** The migrations from the database to the schema of this release; null if there is no database yet. */
export function planMigration(
  config: StorageConfig,
  steps?: readonly Migration[],
): Promise<MigrationPlan | null> {
  return readDatabase(
    config,
    async (found) => {
      if (found.state === 'absent') return null;
      if (found.state === 'unusable' || (found.state === 'other_version' && found.isTooNew))
        throw new OperatorError(whyNotRead(config, found));
      return found.plan;
    },
    steps,
  );
}
