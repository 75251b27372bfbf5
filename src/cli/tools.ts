import type { Log } from '../base/log.ts';
import type { Environment } from '../config/load.ts';
import type { Config, KeyConfig, StorageConfig } from '../config/settings.ts';
import type { AuditLine, SigningKeyRecord, Storage } from '../storage/port.ts';
import type { Clients } from '../tokens/clients.ts';

/** What `main` hands to the commands: they build nothing themselves and never import the app. */
export interface Tools {
  environment(): Environment;
  startApp(config: Config): Promise<RunningApp>;
  /** `command` is whom the audit names. */
  openAdministration(config: StorageConfig, command: string): Promise<Administration>;
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
  /** The provider's keys that a restart would begin with. */
  storedKeySet(config: Config): Promise<{ readonly fetchedAt: number; readonly refreshAt: number } | null>;
}

/** Opens the database for one piece of work and closes it whatever happens. */
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
