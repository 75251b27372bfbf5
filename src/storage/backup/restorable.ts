import { lstatSync, statSync } from 'node:fs';
import { OperatorError } from '../../base/errors.ts';
import { type Migration, newestOf } from '../migrations.ts';
import { explained } from '../sqlite/unavailable.ts';
import { checkSchema } from './schema-check.ts';

/** A restore migrates as a start does. */
export async function requireRestorable(file: string, steps: readonly Migration[]): Promise<void> {
  const { state, differences } = await explained(file, () => checkSchema(file, steps));
  if (state.version > newestOf(steps))
    throw new OperatorError(
      `"${file}" has schema version ${state.version}, and this release knows versions up to ${newestOf(steps)}. Restore it with a release at least as new as the one it is from.`,
    );
  if (differences.length > 0)
    throw new OperatorError(
      `"${file}" has not the tables, indexes, triggers and views that this service makes: ${differences.join(', ')}. The file was tampered with, or somebody added to the database. Restore another backup, or remove what does not belong there.`,
    );
}

export function refuseNotEmpty(file: string): void {
  const found = ['', '-wal', '-shm']
    .map((end) => `${file}${end}`)
    .find((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
  if (found !== undefined)
    throw new OperatorError(
      `"${found}" is there: the SQLite file (DATABASE_URL) is not empty, and a backup is restored only where there is nothing. Move what is there away, or name another place.`,
    );
}

/** A database file without its log misses the last writes. */
export function refuseLog(file: string): void {
  const log = `${file}-wal`;
  if (!statSync(log, { throwIfNoEntry: false })?.size) return;
  throw new OperatorError(
    `"${log}" holds writes that are not in "${file}" yet: these are files of a database, and no backup. Put both where DATABASE_URL leads to, and run "npx vestibule restore" without a file.`,
  );
}
