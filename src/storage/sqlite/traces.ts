import { sql } from 'kysely';
import type { Traces } from '../engine.ts';
import type { Database } from '../schema.ts';

/**
 * SQLite overwrites what it deletes (`secure_delete`), but not the copies it left in the gaps of other pages when it
 * moved rows between them; only writing the whole file anew removes those. That takes as long as the file is large,
 * so it is noted in the file's `user_version`, which is kept for applications, and done when there is time for it.
 */
export function sqliteTraces(database: Database): Traces {
  const flush = async () => {
    await sql`pragma wal_checkpoint(truncate)`.execute(database);
  };
  return {
    note: async (transaction) => writeMark(transaction, (await readMark(transaction)) + 1),

    flush,

    async sweep() {
      const mark = await readMark(database);
      if (mark === 0) return;
      await sql`vacuum`.execute(database);
      await database.transaction().execute(async (transaction) => {
        // Somebody may have noted more since.
        if ((await readMark(transaction)) === mark) await writeMark(transaction, 0);
      });
      await flush();
    },
  };
}

async function readMark(database: Database): Promise<number> {
  const { rows } = await sql<{ user_version: number }>`pragma user_version`.execute(database);
  return rows[0]?.user_version ?? 0;
}

async function writeMark(database: Database, mark: number): Promise<void> {
  await sql`pragma user_version = ${sql.lit(mark)}`.execute(database);
}
