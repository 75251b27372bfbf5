import type { ErrorCode } from '../base/errors.ts';
import type { Finding } from '../base/finding.ts';
import type { Log } from '../base/log.ts';
import type { Environment } from '../config/load.ts';
import type { Config, KeyConfig, StorageConfig } from '../config/settings.ts';
import type { AuditLine, ClientWithSecrets, Reading, SigningKeyRecord, Storage } from '../storage/port.ts';
import type { Clients } from '../tokens/clients.ts';
import type { DatabaseNow, DoctorParts } from './doctor/parts.ts';

/** What `main` hands to the commands: they build nothing themselves and never import the app. */
export interface Tools extends DoctorParts {
  environment(): Environment;
  startApp(config: Config): Promise<RunningApp>;
  /** `command` is whom the audit names. */
  openAdministration(config: StorageConfig, command: string): Promise<Administration>;
  /** For commands that only look: nothing is made, migrated or changed. */
  readStorage<T>(config: StorageConfig, work: (reading: Reading) => Promise<T>): Promise<T>;
  listClients(config: StorageConfig): Promise<readonly ListedClient[]>;
  readDeclaredCollections(config: Config): Promise<readonly DeclaredCollection[]>;
  /** What is declared, held against the records that exist. */
  judgeCollections(config: Config): Promise<readonly CollectionVerdict[]>;
  storedKeySet(config: Config): Promise<StoredKeySet>;
  explainToken(config: Config, token: string): Promise<ExplainedToken>;
}

/** A client, and whether whoever wrote it had the master secret: if not, it is ignored. */
export type ListedClient = ClientWithSecrets & { readonly isGenuine: boolean };

/** What becomes of a token. Holds nothing of it that must not be shared. */
export interface ExplainedToken {
  readonly accepted: boolean;
  /** What the API answers with. */
  readonly code: ErrorCode | null;
  readonly status: number;
  readonly summary: string;
  readonly steps: readonly (Finding & { readonly code: ErrorCode | null })[];
  /** The names of the claims. */
  readonly claims: readonly string[];
  readonly pseudonym: string | null;
}

export interface DeclaredCollection {
  readonly name: string;
  readonly title: string;
  readonly access: { readonly scopes: { readonly read: string | null; readonly write: string | null } };
}

/** What the declaration of a collection means for the records that exist. */
export interface CollectionVerdict {
  readonly collection: string;
  readonly verdict: 'unchanged' | 'new' | 'compatible' | 'breaking';
  readonly changes: readonly string[];
  readonly total: number;
  readonly failing: number;
  readonly sentence: string;
}

export interface RunningApp {
  readonly address: string;
  readonly opsAddress: string;
  readonly log: Log;
  stop(): Promise<void>;
  reload(): void;
}

export interface Administration {
  readonly storage: Storage;
  readonly clients: Clients;
  readonly audit: AuditLine;
  rotateKey(config: KeyConfig, atOnce: boolean): Promise<SigningKeyRecord>;
}

/** The provider's keys that a restart would begin with. */
export interface StoredKeySet {
  readonly state: DatabaseNow['state'];
  /** Why the database cannot be read, and what to do. */
  readonly sentence: string | null;
  readonly keys: { readonly fetchedAt: number; readonly refreshAt: number } | null;
}

/** For commands that change something. Opens the database for one piece of work and closes it whatever happens. */
export async function administer<T>(
  tools: Tools,
  config: StorageConfig,
  command: string,
  work: (administration: Administration) => Promise<T>,
): Promise<T> {
  const administration = await tools.openAdministration(config, command);
  try {
    return await work(administration);
  } finally {
    await administration.storage.close();
  }
}
