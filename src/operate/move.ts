import { systemClock } from '../base/clock.ts';
import { OperatorError } from '../base/errors.ts';
import type { Begin } from '../base/progress.ts';
import { withoutSecrets } from '../base/url.ts';
import type { StorageConfig } from '../config/settings.ts';
import { moveDatabase } from '../storage/move.ts';
import { explained } from '../storage/sqlite/unavailable.ts';

/** Moves everything from the SQLite file of the settings to an empty PostgreSQL database. */
export async function move(from: StorageConfig, to: StorageConfig, begin: Begin) {
  if (from.databaseUrl.engine !== 'sqlite' || to.databaseUrl.engine !== 'postgres')
    throw new OperatorError(
      'A move goes from an SQLite file (DATABASE_URL) to a PostgreSQL database (--to).',
    );
  const { file } = from.databaseUrl;
  const { url } = to.databaseUrl;
  const tables = await explained(file, () => moveDatabase(file, url, systemClock.now(), begin));
  return { from: file, to: withoutSecrets(url), tables };
}
