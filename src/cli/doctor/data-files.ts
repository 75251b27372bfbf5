import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { doubtful, type Finding, quoted } from '../../base/finding.ts';
import { erasureLogFile } from '../../config/files.ts';
import type { Config } from '../../config/settings.ts';

/** Warns of erasures that a restored backup would undo. SQLite has a log of erasures by default. */
export function examineErasureLog(config: Config): readonly Finding[] {
  if (erasureLogFile(config) !== null) return [];
  return [
    doubtful('erasure log', {
      expected: 'a file on each machine that notes every erasure',
      found: 'ERASURE_LOG is not set, so a restored backup brings back callers who were erased after it',
      advice: 'Set ERASURE_LOG to a file that outlives the database, best on another disk.',
    }),
  ];
}

/** Warns of a folder in which every user of the machine can replace the database and its master secret. */
export function examineDataFolder({ databaseUrl }: Config): readonly Finding[] {
  if (databaseUrl.engine !== 'sqlite') return [];
  const folder = dirname(databaseUrl.file);
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o002) === 0) return [];
  return [
    doubtful('data folder', {
      expected: 'that only the user of the service can write to it',
      found: `every user of this machine can write to the folder ${quoted(folder)} (DATABASE_URL)`,
      advice: `Run: chmod o-w ${quoted(folder)}`,
    }),
  ];
}
