import { sql } from 'kysely';
import type { Residue } from '../engine.ts';
import type { Database } from '../schema.ts';
import { busyTimeoutMs } from './connection.ts';

/** Takes less than a tenth of a second, at 7 to 20 ms for each megabyte. */
const quicklyScrubbedBytes = 4_194_304;

/** Longer than any read of a record. */
const waitForReadersMs = 50;

/** `user_version` is a signed number of 32 bits. */
const maxMarks = 2 ** 30;

/** `user_version` after one more deletion: the last bit says that a caller was erased, the others change with each deletion. */
export function nextMark(mark: number, isErasure: boolean): number {
  return ((mark + 2) % maxMarks) | Number(isErasure);
}

/**
 * `secure_delete` leaves copies in the gaps of pages, and only `vacuum` removes them. `user_version` marks that it is due.
 */
export function sqliteResidue(database: Database): Residue {
  /** False if another connection reads the log: then a part of it stays. */
  const flush = () =>
    database.connection().execute(async (connection) => {
      // A backup reads the log until it ends, and writers would wait as long as this does.
      await setBusyTimeout(connection, waitForReadersMs);
      try {
        const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(connection);
        return rows[0]?.busy === 0;
      } finally {
        await setBusyTimeout(connection, busyTimeoutMs);
      }
    });
  return {
    note: async (transaction, what) =>
      writeMark(transaction, nextMark(await readMark(transaction), what === 'erasures')),

    async flush() {
      await flush();
    },

    async left() {
      const mark = await readMark(database);
      if (mark === 0) return 'nothing';
      return mark % 2 === 1 ? 'erasures' : 'deletions';
    },

    async scrub(quickly) {
      const mark = await readMark(database);
      if (mark === 0 || (quickly && (await sizeOf(database)) > quicklyScrubbedBytes)) return;
      await sql`vacuum`.execute(database);
      if (!(await flush())) return;
      await database.transaction().execute(async (transaction) => {
        // Another process may have marked the file as due meanwhile.
        if ((await readMark(transaction)) === mark) await writeMark(transaction, 0);
      });
      await flush();
    },
  };
}

async function setBusyTimeout(database: Database, milliseconds: number): Promise<void> {
  await sql`pragma busy_timeout = ${sql.lit(milliseconds)}`.execute(database);
}

async function sizeOf(database: Database): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select page_count * page_size as bytes from pragma_page_count, pragma_page_size`.execute(database);
  return rows[0]?.bytes ?? 0;
}

async function readMark(database: Database): Promise<number> {
  const { rows } = await sql<{ user_version: number }>`pragma user_version`.execute(database);
  return rows[0]?.user_version ?? 0;
}

async function writeMark(database: Database, mark: number): Promise<void> {
  await sql`pragma user_version = ${sql.lit(mark)}`.execute(database);
}
