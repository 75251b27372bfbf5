import { hostname } from 'node:os';
import { deriveKeyring, type Keyring } from './auth/keyring.ts';
import { checkMasterSecret } from './auth/master-secret.ts';
import { faultOfPublicKeys } from './auth/signed-document.ts';
import { authenticatedMemory } from './auth/stored-key-set.ts';
import { type Clock, systemClock } from './base/clock.ts';
import { OperatorError } from './base/errors.ts';
import { revocationOf } from './base/revocation.ts';
import { erasureLogFile, readCollectionFiles, readMasterSecret } from './config/files.ts';
import { ownIssuer } from './config/rules.ts';
import type { Config, KeyConfig, StorageConfig, WebhookConfig } from './config/settings.ts';
import type { Collection } from './consumer/collections/collection.ts';
import { storedDeclarations } from './consumer/collections/stored-declarations.ts';
import { createKeyedDigest } from './consumer/records/keyed-digest.ts';
import { createRenamings, type IssuerChange } from './consumer/rename-consumers.ts';
import { createRevocationNames } from './consumer/revocation-names.ts';
import { longestTokenLifeSeconds } from './consumer/sign-out/take-back.ts';
import { eventOfErasure } from './events/catalogue.ts';
import { createEgress } from './events/webhooks/egress.ts';
import type { Box } from './events/webhooks/secret-box.ts';
import { createWebhooks } from './events/webhooks/webhooks.ts';
import type { Engine } from './storage/engine.ts';
import { ErasureLog } from './storage/erasure-log.ts';
import type { Manner } from './storage/migrate.ts';
import type { Migration } from './storage/migrations.ts';
import type { AuditEntry, AuditLine, ClientMac, ErasureNotes, Storage, StorageKeys } from './storage/port.ts';
import { openSqlite } from './storage/sqlite/engine.ts';
import { createStorage, migrateAndClose } from './storage/storage.ts';
import { createClientMac } from './tokens/client-mac.ts';
import { createClients } from './tokens/clients.ts';
import { assertionAlgorithms } from './tokens/metadata.ts';
import { seal, unseal } from './tokens/seal.ts';
import { type KeyRules, rotateSigningKey } from './tokens/signing-keys.ts';

interface AdministrationOptions {
  /** What an operator should know, and nothing fails of. */
  readonly onNotice?: (notice: string) => void;
  /** What a test has for migrations. */
  readonly steps?: readonly Renamings[] | undefined;
}

/** The database and what administers it: all that the commands for clients and keys need. `actor` is who is audited. */
export async function openAdministration(
  config: StorageConfig,
  actor: string,
  clock: Clock = systemClock,
  { onNotice = () => {}, steps }: AdministrationOptions = {},
) {
  const keyring: Keyring = deriveKeyring(readMasterSecret(config));
  const clientMac = createClientMac(keyring.clients);
  const erasureLog = erasureLogOf(config);
  const storage: Storage = await createStorage(
    await openEngine(config, onNotice),
    clock.now(),
    storageKeys(keyring, clientMac, erasureLog),
    { migrates: config.migrate === 'auto', ...(steps === undefined ? {} : { steps }) },
  );
  try {
    await checkMasterSecret(storage.documents, keyring);
    erasureLog?.create();
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
  const webhooks = (service: WebhookConfig) =>
    createWebhooks({
      store: storage.webhooks,
      deliveries: storage.deliveries,
      events: storage.events,
      egress: webhookEgress(service),
      box: webhookBox(keyring),
      source: ownIssuer(service),
      audit,
      clock,
    });
  const keySetMemory = (jwksUrl: string) =>
    authenticatedMemory(storage.documents, keyring.providerKeys, jwksUrl);
  const declarations = storedDeclarations(storage.documents, createKeyedDigest(keyring.declarations));
  const eraseConsumer = (id: string, line: AuditEntry) =>
    storage.records.erase(id, line, eventOfErasure(id, clock.now()));
  /** Tokens of the caller issued until now are refused; when that is. */
  const signOutConsumer = async (id: string, line: AuditEntry): Promise<number> => {
    const now = clock.now();
    const name = createRevocationNames(createKeyedDigest(keyring.revocations)).caller(id);
    const revocation = revocationOf(name, now, longestTokenLifeSeconds * 1000);
    await storage.standing.revoke([revocation], { document: null, audit: line });
    return now;
  };
  const renamings = (issuers: IssuerChange) =>
    createRenamings({ consumers: storage.consumers, keys: keyring, audit, clock }, issuers);
  return {
    storage,
    keyring,
    clientMac,
    erasureLog,
    audit,
    clients,
    eraseConsumer,
    signOutConsumer,
    renamings,
    rotateKey,
    webhooks,
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

/** What encrypts the secrets of webhooks. */
export function webhookBox({ webhooks: key }: Keyring): Box {
  return {
    seal: (plain, context) => seal(key, plain, context),
    unseal: (sealed, context) => unseal(key, sealed, context),
  };
}

/** Where webhooks may go. */
export function webhookEgress(config: WebhookConfig) {
  return createEgress({ allow: config.webhookAllow, ownUrl: ownIssuer(config) });
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

/** Does the steps that are missing, and nothing else; gives those that were done. */
export async function migrateDatabase(
  config: StorageConfig,
  manner: Manner,
  steps?: readonly Renamings[],
): Promise<readonly Renamings[]> {
  const keyring = deriveKeyring(readMasterSecret(config));
  const engine = await openEngine(config);
  const keys = storageKeys(keyring, createClientMac(keyring.clients), null);
  return migrateAndClose(engine, systemClock.now(), keys, manner, steps);
}

function storageKeys(keyring: Keyring, clientMac: ClientMac, erasureLog: ErasureLog | null): StorageKeys {
  return {
    clientMac,
    checkMasterSecret: (documents) => checkMasterSecret(documents, keyring),
    erasures: erasureNotes(keyring, erasureLog),
  };
}

/** Null where erasures are noted in the database only. */
export function erasureLogOf(config: StorageConfig): ErasureLog | null {
  const file = erasureLogFile(config);
  return file === null ? null : new ErasureLog(file);
}

function erasureNotes(keyring: Keyring, log: ErasureLog | null): ErasureNotes {
  const digest = createKeyedDigest(keyring.erasures);
  return {
    digestOf: (owner) => new Uint8Array(digest.of(owner)),
    append: async (erasure) => log?.append(erasure),
  };
}

/** The driver of a database is loaded only where it is that database. */
async function openEngine(
  { databaseUrl, databasePoolSize, databasePreparedStatements, databaseListenUrl }: StorageConfig,
  onNotice: (notice: string) => void = () => {},
): Promise<Engine> {
  if (databaseUrl.engine === 'sqlite') return openSqlite(databaseUrl.file);
  const { openPostgres } = await import('./storage/postgres/engine.ts');
  return openPostgres(databaseUrl.url, {
    poolSize: databasePoolSize,
    keepsStatements: databasePreparedStatements,
    listenUrl: databaseListenUrl,
    onNotice,
  });
}
