import { OperatorError, Refusal } from '../../base/errors.ts';
import { SqliteError } from './thread.ts';

/** SQLite's primary result codes for "not now" and "not with this file". */
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
  const resultCode = resultCodeOf(error);
  if (resultCode === undefined) return null;
  // Without a code the thread itself is gone.
  const primary = (resultCode ?? 0) & 0xff;
  const detail = resultCode === null ? (error as Error).message : unavailableCodes[primary];
  const options = { fault: `sqlite_${primary}`, cause: error };
  return detail === undefined ? null : new Refusal('storage_unavailable', { ...options, detail });
}

/** The code of an error from the thread, or of one that node:sqlite threw here; undefined for any other error. */
function resultCodeOf(error: unknown): number | null | undefined {
  if (error instanceof SqliteError) return error.resultCode;
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' ? errcode : undefined;
}

/** For a command: describes SQLite's errors with a file in a sentence. */
export async function explained<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const refusal = unavailable(error);
    if (refusal === null) throw error;
    throw new OperatorError(`The SQLite file "${file}" cannot be used: ${refusal.options.detail}.`);
  }
}
