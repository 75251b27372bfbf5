import { createReadStream, createWriteStream } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import type { Erasure } from '../port.ts';
import { type Counts, countRows, inspectCopy } from './sqlite-copy.ts';

/** What there is to know of a backup before it is restored. */
export interface BackupContent {
  /** 0 when no release of ours has made it. */
  readonly version: number;
  /** By which one master secret is told from another. */
  readonly masterSecretMark: Uint8Array | null;
  readonly counts: Counts;
  readonly lastPosition: number;
  readonly erasureIds: ReadonlySet<string>;
}

/** Of an SQLite file that nobody uses, which SQLite checks first. */
export function readBackup(file: string): BackupContent {
  return inspectCopy(file, (database) => {
    const counts = countRows(database);
    const has = (table: string) => table in counts;
    const one = (sql: string) => Object.values(database.prepare(sql).get() ?? {})[0];
    return {
      version: has('schema_migrations') ? Number(one('select max(version) from schema_migrations')) : 0,
      masterSecretMark: has('documents') ? markIn(database) : null,
      counts,
      lastPosition: has('events') ? Number(one('select max(position) from events') ?? 0) : 0,
      erasureIds: new Set(has('erasures') ? idsIn(database) : []),
    };
  });
}

function markIn(database: DatabaseSync): Uint8Array | null {
  const row = database.prepare("select mac from documents where name = 'master-secret'").get();
  return row === undefined ? null : new Uint8Array(row.mac as Uint8Array);
}

function idsIn(database: DatabaseSync): readonly Erasure['id'][] {
  return database
    .prepare('select id from erasures')
    .all()
    .map(({ id }) => String(id));
}

/** Into a file that is there already, and keeps the permissions that it has. */
export async function copyFile(from: string, to: string): Promise<void> {
  await pipeline(createReadStream(from), createWriteStream(to, { flags: 'r+' }));
}
