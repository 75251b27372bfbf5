import { Refusal } from '../../base/errors.ts';
import { SqliteError } from './thread.ts';

/** SQLite's result codes for "not now" and "not with this file", by their primary code. */
const unavailableCodes: Readonly<Record<number, string>> = {
  5: 'the database is locked by another process',
  6: 'a table is locked',
  8: 'the database file is read-only',
  10: 'the disk reports an input or output error',
  11: 'the database file is damaged',
  13: 'the disk is full',
  14: 'the database file cannot be opened',
  26: 'the file is not an SQLite database',
};

export function unavailable(error: unknown): Refusal | null {
  if (!(error instanceof SqliteError)) return null;
  // No code: the thread itself is gone.
  const detail = error.resultCode === null ? error.message : unavailableCodes[error.resultCode & 0xff];
  return detail === undefined ? null : new Refusal('storage_unavailable', { detail, cause: error });
}
