import { copyFileSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { TestDatabase } from '../support/databases/databases.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { fileOf, type Settings } from '../support/services/service.ts';
import type { Answers, askOperator } from './answers.ts';

/** What a release left here; `record.ts` writes it. */
export interface Recording {
  /** When the answers were given, in milliseconds since 1970. */
  readonly at: number;
  /** The number of rows, by table. */
  readonly rows: Readonly<Record<string, number>>;
  readonly operator: Awaited<ReturnType<typeof askOperator>>;
  /** The note that was made with the idempotency key. */
  readonly keyed: string;
  readonly answers: Answers;
}

export interface Released {
  readonly version: string;
  readonly folder: string;
}

/** Every release that left a recording, oldest first. */
export const releasedVersions: readonly Released[] = globSync('test/releases/*/answers.json')
  .map((file) => ({ version: basename(dirname(file)), folder: dirname(file) }))
  .toSorted((one, other) => one.version.localeCompare(other.version, 'en', { numeric: true }));

export function recordingOf({ folder }: Released): Recording {
  return JSON.parse(readFileSync(`${folder}/answers.json`, 'utf8'));
}

/** Puts a copy of the released database where the settings have theirs. */
export async function restoreReleased({ folder }: Released, settings: Settings): Promise<void> {
  if (String(settings.DATABASE_URL).startsWith('sqlite:'))
    copyFileSync(`${folder}/vestibule.db`, fileOf(settings));
  else await plainSql(settings).query(readFileSync(`${folder}/postgres.sql`, 'utf8'));
}

/** The number of rows, by table. */
export async function rowsOf({ query, tables }: TestDatabase): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const table of await tables()) {
    const [row] = await query(`select count(*) as count from ${table}`);
    counts[table] = Number(row?.count);
  }
  return counts;
}
