import { checkMasterSecret, type Keyring } from '../auth/keyring.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { createKeyedDigest } from '../base/keyed-digest.ts';
import type { Begin } from '../base/progress.ts';
import { erasureLogFile } from '../config/files.ts';
import type { StorageConfig } from '../config/settings.ts';
import { PeopleNames } from '../records/people-names.ts';
import type { Engine } from '../storage/engine.ts';
import { ErasureLog } from '../storage/erasure-log.ts';
import type { Migration } from '../storage/migrations.ts';
import type { ClientMac, ErasureNotes, Storage } from '../storage/port.ts';
import { openSqlite } from '../storage/sqlite/engine.ts';
import { createStorage, migrateAndClose } from '../storage/storage.ts';

export interface OpenOptions {
  readonly onNotice?: (notice: string) => void;
  readonly begin?: Begin;
  /** Other migrations, for tests. */
  readonly steps?: readonly Migration[] | undefined;
}

interface StorageParts extends OpenOptions {
  readonly keyring: Keyring;
  readonly clientMac: ClientMac;
  readonly clock: Clock;
}

/** Opens the database, migrates it if MIGRATE says so, and checks that it belongs to this master secret. */
export async function openStorage(config: StorageConfig, parts: StorageParts) {
  const { keyring, clientMac, clock, onNotice, steps, begin } = parts;
  const erasureFile = erasureLogFile(config);
  const erasureLog = erasureFile === null ? null : new ErasureLog(erasureFile);
  const storage: Storage = await createStorage(
    await openEngine(config, onNotice === undefined ? { clock } : { clock, onNotice }),
    clock.now(),
    { clientMac, erasures: erasureNotes(keyring, erasureLog) },
    { migrates: config.migrate === 'auto', ...(steps && { steps }), ...(begin && { begin }) },
  );
  try {
    await checkMasterSecret(storage.documents, keyring);
    erasureLog?.create();
  } catch (error) {
    await storage.close();
    throw error;
  }
  return { storage, erasureLog };
}

export async function migrateDatabase(
  config: StorageConfig,
  kind: Migration['kind'],
  { steps, begin }: Pick<OpenOptions, 'steps' | 'begin'> = {},
): Promise<readonly Migration[]> {
  return migrateAndClose(await openEngine(config), systemClock.now(), kind, steps, begin);
}

function erasureNotes(keyring: Keyring, log: ErasureLog | null): ErasureNotes {
  const digest = createKeyedDigest(keyring.erasures);
  const names = new PeopleNames(createKeyedDigest(keyring.records));
  return {
    digestOf: (owner) => new Uint8Array(digest.of(owner)),
    topicOf: (owner) => names.person(owner),
    append: async (erasure) => log?.append(erasure),
  };
}

interface EngineOptions extends Pick<OpenOptions, 'onNotice'> {
  readonly readOnly?: boolean;
  readonly clock?: Clock;
}

/** Loads the driver of PostgreSQL only if it is needed. */
export async function openEngine(
  { databaseUrl, databasePoolSize }: StorageConfig,
  { onNotice = () => {}, readOnly = false, clock = systemClock }: EngineOptions = {},
): Promise<Engine> {
  if (databaseUrl.engine === 'sqlite') return openSqlite(databaseUrl.file, { readOnly, clock });
  const { openPostgres } = await import('../storage/postgres/engine.ts');
  // A command that reads is short: it uses one session, and prepares no statements.
  if (readOnly) return openPostgres(databaseUrl.url, { poolSize: 1, keepsStatements: false });
  return openPostgres(databaseUrl.url, {
    poolSize: databasePoolSize,
    clock,
    onNotice,
  });
}
