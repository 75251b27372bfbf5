import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { deriveKeyring, masterSecretFits, otherMasterSecret } from '../auth/keyring.ts';
import { systemClock } from '../base/clock.ts';
import { counted } from '../base/counted.ts';
import { OperatorError } from '../base/errors.ts';
import { makePrivateFolder } from '../base/files.ts';
import { createKeyedDigest } from '../base/keyed-digest.ts';
import type { Begin } from '../base/progress.ts';
import { parentLinksOf } from '../collections/lineage.ts';
import { openAdministration } from '../compose/administration.ts';
import { readDatabase, readStorage } from '../compose/read-storage.ts';
import { erasureLogFile, readGivenMasterSecret } from '../config/files.ts';
import { databaseUrl as parseDatabaseUrl } from '../config/kinds.ts';
import type { StorageConfig } from '../config/settings.ts';
import { allErasures, eraseAgain, missingErasures } from '../consumer/erase-again.ts';
import { Draft } from '../storage/backup/draft.ts';
import { refuseLog, refuseNotEmpty, requireRestorable } from '../storage/backup/restorable.ts';
import { copyFile, readBackup } from '../storage/backup/sqlite-copy.ts';
import { ErasureLog } from '../storage/erasure-log.ts';
import { migrations } from '../storage/migrations.ts';
import type { Erasure } from '../storage/port.ts';
import { explained } from '../storage/sqlite/unavailable.ts';

interface RestoreOptions {
  /** Null if another process has restored the database already. */
  readonly file: string | null;
  /** Further erasure logs, or databases, that know the erasures after the backup. */
  readonly erasures: readonly string[];
  readonly withoutErasures: boolean;
  readonly dryRun: boolean;
  readonly begin?: Begin;
}

export type Restored = Awaited<ReturnType<typeof restore>>;

/** Restores a backup, repeats the erasures since then, and skips all event positions that were in use. */
export async function restore(config: StorageConfig, options: RestoreOptions) {
  const { databaseUrl } = config;
  const { file, dryRun, begin = () => {} } = options;
  const masterSecret = readGivenMasterSecret(config);
  const known = await knownErasures(config, options);
  const withSecret = { ...config, masterSecret, masterSecretFile: null };
  if (file === null) {
    await requireDatabase(config);
    if (databaseUrl.engine === 'sqlite') await requireRestorable(databaseUrl.file, migrations);
    return { file, dryRun, ...(await settle(withSecret, known, { dryRun, begin })) };
  }
  if (databaseUrl.engine === 'postgres')
    throw new OperatorError(
      'This command reads backups of SQLite, and DATABASE_URL is a PostgreSQL database. Restore the dump with pg_restore, then run "npx vestibule restore" without a file: see "Backup" in docs/operations.md.',
    );
  if (!existsSync(file)) throw new OperatorError(`There is no file "${file}".`);
  refuseNotEmpty(databaseUrl.file);
  refuseLog(file);
  begin('Checking the backup');
  const content = await explained(file, async () => readBackup(file));
  if (content.version === 0)
    throw new OperatorError(`"${file}" is not a backup of this service. Name another file.`);
  await requireRestorable(file, migrations);
  const mark = { read: async () => content.masterSecretMark };
  if (!(await masterSecretFits(mark, deriveKeyring(masterSecret)))) throw otherMasterSecret('backup');
  const later = known.erasures.filter(({ id }) => !content.erasureIds.has(id));
  const found = { file, dryRun, rows: content.counts, position: content.lastPosition };
  if (dryRun) return { ...found, erasures: summary(known, later.length, 0) };
  makePrivateFolder(dirname(databaseUrl.file));
  // The file gets its final name only after the erasures are repeated.
  using draft = new Draft(databaseUrl.file, false);
  const total = statSync(file).size;
  begin('Copying the backup', () => ({ done: statSync(draft.path).size, total, unit: 'byte' }));
  await draft.fill((path) => copyFile(file, path));
  const onDraft = { engine: 'sqlite' as const, file: draft.path };
  const settled = await settle(
    { ...withSecret, databaseUrl: onDraft, erasureLog: erasureLogFile(config) },
    known,
    { dryRun, begin },
  );
  draft.publish();
  return { ...found, ...settled };
}

async function settle(
  config: StorageConfig & { readonly masterSecret: string },
  known: Known,
  { dryRun, begin }: Required<Pick<RestoreOptions, 'dryRun' | 'begin'>>,
) {
  if (dryRun)
    return readStorage(config, async (storage) => {
      const later = await missingErasures(storage.erasures, known.erasures);
      return { erasures: summary(known, later.length, 0) };
    });
  const administration = await openAdministration(config, 'restore', systemClock, { begin });
  const { storage, keyring, audit, erasureLog, declarations } = administration;
  try {
    const later = await missingErasures(storage.erasures, known.erasures);
    const ownIds = new Set(erasureLog?.read().erasures.map(({ id }) => id));
    // The log stays complete for older backups.
    const unnoted = known.erasures.filter(({ id }) => !ownIds.has(id));
    if (unnoted.length > 0) await erasureLog?.append(...unnoted);
    const digest = createKeyedDigest(keyring.erasures);
    const digestOf = (owner: string) => new Uint8Array(digest.of(owner));
    const links = parentLinksOf([...(await declarations.load()).values()]);
    begin(`Repeating ${counted(later.length, 'erasure')}`);
    const done = await eraseAgain({ storage, digestOf, audit, links }, later);
    await storage.events.leap(systemClock.now());
    if (done > 0) await storage.records.scrub('whatever it takes');
    return { erasures: summary(known, later.length, done) };
  } finally {
    await storage.close();
  }
}

interface Known {
  readonly erasures: readonly Erasure[];
  /** The number of unreadable lines in the logs. */
  readonly unreadable: number;
}

function summary({ erasures, unreadable }: Known, later: number, done: number) {
  return { known: erasures.length, unreadable, later, done };
}

async function knownErasures(config: StorageConfig, options: RestoreOptions): Promise<Known> {
  const own = erasureLogFile(config);
  const places = [...(own !== null && existsSync(own) ? [own] : []), ...options.erasures];
  if (places.length === 0 && !options.withoutErasures)
    throw new OperatorError(
      `There is no source of erasures after the backup${own === null ? '' : ` (there is no "${own}")`}, and callers erased since then would come back. Name the log of erasures, or the database that was in use before, with --erasures; or use --without-erasures if no caller was erased.`,
    );
  const found = await Promise.all(places.map((place) => erasuresAt(config, place)));
  const all = new Map(found.flatMap(({ erasures }) => erasures).map((erasure) => [erasure.id, erasure]));
  return {
    erasures: [...all.values()],
    unreadable: found.reduce((sum, { unreadable }) => sum + unreadable, 0),
  };
}

async function erasuresAt(config: StorageConfig, place: string): Promise<Known> {
  if (!/^(sqlite|postgres(ql)?):/.test(place)) return new ErasureLog(place).read();
  const databaseUrl = parseDatabaseUrl(place);
  return readStorage(
    { ...config, databaseUrl, masterSecret: readGivenMasterSecret(config), masterSecretFile: null },
    async ({ erasures }) => ({ erasures: await allErasures(erasures.list), unreadable: 0 }),
  );
}

function requireDatabase(config: StorageConfig): Promise<void> {
  return readDatabase(config, async (found) => {
    if (found.state === 'absent' || (found.state === 'other_version' && found.plan.version === 0))
      throw new OperatorError(
        'The database of DATABASE_URL does not exist. Name the backup to restore, or restore it by other means first.',
      );
  });
}
