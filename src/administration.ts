import { hostname } from 'node:os';
import { deriveKeyring, type Keyring } from './auth/keyring.ts';
import { checkMasterSecret } from './auth/master-secret.ts';
import { faultOfPublicKeys } from './auth/signed-document.ts';
import { authenticatedMemory } from './auth/stored-key-set.ts';
import { type Clock, systemClock } from './base/clock.ts';
import { OperatorError } from './base/errors.ts';
import { readCollectionFiles, readMasterSecret } from './config/files.ts';
import type { Config, KeyConfig, StorageConfig } from './config/settings.ts';
import type { Collection } from './consumer/collections/collection.ts';
import { storedDeclarations } from './consumer/collections/stored-declarations.ts';
import { createKeyedDigest } from './consumer/records/keyed-digest.ts';
import { providerJwksUrl } from './issuer-rules.ts';
import type { AuditLine, Storage, StorageKeys } from './storage/port.ts';
import { openSqlite } from './storage/sqlite/engine.ts';
import { createStorage } from './storage/storage.ts';
import { createClientMac } from './tokens/client-mac.ts';
import { createClients } from './tokens/clients.ts';
import { assertionAlgorithms } from './tokens/metadata.ts';
import { type KeyRules, rotateSigningKey } from './tokens/signing-keys.ts';

/** The database and what administers it: all that the commands for clients and keys need. `actor` is who is audited. */
export async function openAdministration(config: StorageConfig, actor: string, clock: Clock = systemClock) {
  const keyring: Keyring = deriveKeyring(readMasterSecret(config));
  const clientMac = createClientMac(keyring.clients);
  const storage: Storage = await openStorage(config, clock, {
    clientMac,
    checkMasterSecret: (documents) => checkMasterSecret(documents, keyring),
  });
  try {
    await checkMasterSecret(storage.documents, keyring);
  } catch (error) {
    await storage.close();
    throw error;
  }
  const node = hostname();
  const audit: AuditLine = (action, subject, details = {}) => {
    return { at: clock.now(), actor, node, action, subject, details };
  };
  const clients = createClients({
    store: storage.clients,
    clientMac,
    secretKey: keyring.clientSecrets,
    audit,
    clock,
    faultOfKeys: (keys) => faultOfPublicKeys(keys, assertionAlgorithms),
  });
  const rotateKey = (keys: KeyConfig, atOnce: boolean) => {
    const { signingKeys: sealingKey } = keyring;
    return rotateSigningKey(
      { ...keyRules(keys), store: storage.signingKeys, sealingKey, audit, clock },
      atOnce,
    );
  };
  const keySetMemory = (service: Config) =>
    authenticatedMemory(storage.documents, keyring.providerKeys, providerJwksUrl(service));
  const declarations = storedDeclarations(storage.documents, createKeyedDigest(keyring.declarations));
  return {
    storage,
    keyring,
    clientMac,
    audit,
    clients,
    rotateKey,
    keySetMemory,
    declarations,
  };
}

export type Administration = Awaited<ReturnType<typeof openAdministration>>;

/** What is declared in COLLECTIONS_DIR. What reads it is loaded only where there is something to read. */
export async function readDeclaredCollections(config: Config): Promise<readonly Collection[]> {
  const { collectionsDir, maxBodyBytes } = config;
  const files = readCollectionFiles(collectionsDir);
  if (files.length === 0) return [];
  const { readCollections } = await import('./consumer/collections/read-collections.ts');
  const declared = readCollections(files);
  const large = declared.find(({ limits }) => limits.bytes > maxBodyBytes);
  if (large === undefined) return declared;
  throw new OperatorError(
    `The collection "${large.name}" has records of up to ${large.limits.bytes} bytes, and MAX_BODY_BYTES lets requests have ${maxBodyBytes}. Raise the setting or lower the limit.`,
  );
}

export function keyRules(config: KeyConfig): KeyRules {
  const { tokenSigningAlg, keyPrepublishSeconds, keyRotationDays, tokenTtlSeconds } = config;
  return {
    algorithm: tokenSigningAlg,
    prepublishMs: keyPrepublishSeconds * 1000,
    rotateAfterMs: keyRotationDays === 0 ? null : keyRotationDays * 86_400_000,
    tokenTtlMs: tokenTtlSeconds * 1000,
  };
}

/** The driver of a database is loaded only where it is that database. */
async function openStorage(
  { databaseUrl, databasePoolSize, databasePreparedStatements }: StorageConfig,
  clock: Clock,
  keys: StorageKeys,
): Promise<Storage> {
  const engine =
    databaseUrl.engine === 'sqlite'
      ? await openSqlite(databaseUrl.file)
      : (await import('./storage/postgres/engine.ts')).openPostgres(databaseUrl.url, {
          poolSize: databasePoolSize,
          keepsStatements: databasePreparedStatements,
        });
  return createStorage(engine, clock.now(), keys);
}
