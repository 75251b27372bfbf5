import { existsSync } from 'node:fs';
import { OperatorError } from '../../base/errors.ts';
import { withoutSecrets } from '../../base/without-password.ts';
import { migrate } from '../migrate.ts';
import { newestVersion } from '../migrations.ts';
import { openPostgres } from '../postgres/engine.ts';
import type { Database } from '../schema.ts';
import { readSchema } from '../schema-state.ts';
import { openExclusively } from '../sqlite/exclusive.ts';
import type { TableSum } from './compare.ts';
import { readMark, removeMark } from './mark.ts';
import { type MoveOptions, moveRows } from './move.ts';

/** From an SQLite file that nobody uses meanwhile to a PostgreSQL database that is empty. */
export async function moveDatabase(
  file: string,
  { url }: { readonly url: string },
  options: Pick<MoveOptions, 'rowsAtOnce' | 'digest' | 'now'>,
): Promise<readonly TableSum[]> {
  const from = openSource(file);
  const engine = openPostgres(url, { poolSize: 1, keepsStatements: false });
  try {
    await requireNewest(from);
    await migrate(engine, options.now);
    return await moveRows({
      ...options,
      from: { database: from, name: `the SQLite file "${file}"` },
      to: { database: engine.database, name: withoutSecrets(url) },
    });
  } catch (error) {
    const refusal = engine.unavailable(error);
    if (refusal === null) throw error;
    throw new OperatorError(
      `The database ${withoutSecrets(url)} cannot be used: ${refusal.options.detail}. What was copied stays there: run the same command once more.`,
    );
  } finally {
    await engine.close();
    await from.destroy();
  }
}

/** Lets the file be used again when a move of it has not come to its end. False when there is none. */
export async function abandonMove(file: string): Promise<boolean> {
  const from = openSource(file);
  try {
    const mark = await readMark(from);
    if (mark?.state === 'left')
      throw new OperatorError(`This database was moved to ${mark.other}, and that is done.`);
    await removeMark(from);
    return mark !== null;
  } finally {
    await from.destroy();
  }
}

function openSource(file: string): Database {
  if (!existsSync(file)) throw new OperatorError(`The SQLite file "${file}" (DATABASE_URL) is not there.`);
  return openExclusively(file);
}

async function requireNewest(from: Database): Promise<void> {
  const { version } = await readSchema(from);
  if (version === newestVersion) return;
  throw new OperatorError(
    `The SQLite file has schema version ${version}, and this release moves version ${newestVersion}. Start this release on it once, so that it is migrated.`,
  );
}
