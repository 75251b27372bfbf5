import { deriveKeyring } from '../auth/keyring.ts';
import { masterSecretFits } from '../auth/master-secret.ts';
import { OperatorError } from '../base/errors.ts';
import { readMasterSecret } from '../config/files.ts';
import type { Config, StorageConfig } from '../config/settings.ts';
import { lookInto } from '../storage/look.ts';
import type { MigrationPlan } from '../storage/migration-plan.ts';
import type { Migration } from '../storage/migrations.ts';
import { createClientMac } from '../tokens/client-mac.ts';
import { verdictsOn } from './collections.ts';
import { whyNotRead } from './read-storage.ts';

/** The database as it is; its records too, when the collections can be read. Nothing in it is made or changed. */
export function inspectDatabase(config: Config, areDeclared: boolean) {
  return lookInto(config.databaseUrl, async (look) => {
    if (look.state !== 'ready') return look;
    const keyring = deriveKeyring(readMasterSecret(config));
    const clientMac = createClientMac(keyring.clients);
    const judge = async () => {
      const verdicts = await verdictsOn(config, look.reading, keyring);
      return verdicts.filter(({ verdict }) => verdict === 'breaking').map(({ sentence }) => sentence);
    };
    return {
      state: look.state,
      plan: look.plan,
      missingRights: look.missingRights,
      masterSecretFits: await masterSecretFits(look.reading.documents, keyring),
      breaking: areDeclared ? await judge() : null,
      isScrubDue: await look.reading.records.isScrubDue(),
      foreignClients: (await look.reading.clients.list())
        .filter((client) => !clientMac.isGenuine(client))
        .map(({ id }) => id),
    };
  });
}

/** How a process would hear of what others change; null with SQLite, which is looked at. */
export async function inspectNotifications({ databaseUrl, databaseListenUrl }: Config) {
  if (databaseUrl.engine === 'sqlite') return null;
  const { tryNotifications } = await import('../storage/postgres/try-notifications.ts');
  return tryNotifications(databaseUrl.url, databaseListenUrl);
}

export type DatabaseNow = Awaited<ReturnType<typeof inspectDatabase>>;

/** How the database gets to the schema of this release, before anything of it is touched; null where there is none yet. */
export function planMigration(
  config: StorageConfig,
  steps?: readonly Migration[],
): Promise<MigrationPlan | null> {
  return lookInto(
    config.databaseUrl,
    async (look) => {
      if (look.state === 'absent') return null;
      if (look.state === 'unusable' || (look.state === 'other_version' && look.isTooNew))
        throw new OperatorError(whyNotRead(config, look));
      return look.plan;
    },
    steps,
  );
}
