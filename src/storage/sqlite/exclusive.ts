import { DatabaseSync } from 'node:sqlite';
import { Kysely, SqliteDialect } from 'kysely';
import { OperatorError } from '../../base/errors.ts';
import type { Tables } from '../schema.ts';
import { busyTimeoutMs } from './connection.ts';
import { asKyselyWants } from './dialect.ts';

/**
 * A connection that has a file to itself until it is closed. In WAL mode every connection holds a lock on the file for as long
 * as it is open, and SQLite gives this one only when there is no other: a service that runs is found by it, however quiet it is.
 */
export function openExclusively(file: string): Kysely<Tables> {
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs });
  try {
    database.exec('pragma locking_mode = exclusive');
    database.exec('begin exclusive');
    database.exec('commit');
  } catch (error) {
    database.close();
    if ((error as { errcode?: unknown }).errcode !== busy) throw error;
    throw new OperatorError(
      `The SQLite file "${file}" (DATABASE_URL) is in use. Stop whatever uses it first: "npx vestibule serve", a command or a backup.`,
    );
  }
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database: asKyselyWants(database) }) });
}

/** SQLite's result code for that. */
const busy = 5;
