import { statSync } from 'node:fs';
import { OperatorError } from '../base/errors.ts';
import type { Begin } from '../base/progress.ts';
import { erasureLogFile } from '../config/files.ts';
import type { StorageConfig } from '../config/settings.ts';
import { Draft, isSamePlace } from '../storage/backup/draft.ts';
import { checkSchema } from '../storage/backup/restorable.ts';
import { copySqlite, noteBackup, readBackup } from '../storage/backup/sqlite-copy.ts';
import { newestVersion } from '../storage/migrations.ts';
import { explained } from '../storage/sqlite/unavailable.ts';

/** Copies the SQLite file, which may be in use, to a new file. */
export async function backUp(config: StorageConfig, file: string, force: boolean, begin: Begin) {
  const { databaseUrl } = config;
  if (databaseUrl.engine === 'postgres')
    throw new OperatorError(
      'This command copies SQLite files, and DATABASE_URL is a PostgreSQL database. Back it up with pg_dump: see "Backup" in docs/operations.md.',
    );
  refuseOwnFiles(config, file);
  using draft = new Draft(file, force);
  const rows = await explained(databaseUrl.file, () =>
    draft.fill((path) => copySqlite(databaseUrl.file, path, begin)),
  );
  const { version, lastPosition } = readBackup(draft.path);
  // The schema may have additions of a newer release, which this one does not know.
  if (version <= newestVersion) await refuseForeignSchema(databaseUrl.file, draft.path);
  draft.publish();
  const bytes = statSync(file).size;
  noteBackup(databaseUrl.file, { at: Date.now(), bytes });
  return { file, bytes, rows, position: lastPosition };
}

/** A restore would refuse this backup. */
async function refuseForeignSchema(file: string, copy: string): Promise<void> {
  const { differences } = await explained(file, () => checkSchema(copy));
  if (differences.length === 0) return;
  throw new OperatorError(
    `The SQLite file "${file}" (DATABASE_URL) has other tables, indexes, triggers or views than this service creates: ${differences.join(', ')}. A backup of it could not be restored. Find out who changed the schema, and undo the change.`,
  );
}

function refuseOwnFiles(config: StorageConfig, file: string): void {
  const { databaseUrl, masterSecretFile } = config;
  const beside = ['', '-wal', '-shm', '-journal', '.secret'];
  const own = databaseUrl.engine === 'sqlite' ? beside.map((end) => `${databaseUrl.file}${end}`) : [];
  const all = [...own, erasureLogFile(config), masterSecretFile].filter((path) => path !== null);
  if (all.some((path) => isSamePlace(path, file)))
    throw new OperatorError(`"${file}" belongs to the database itself. Name another file.`);
}
