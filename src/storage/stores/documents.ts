import { OperatorError } from '../../base/errors.ts';
import type { BackupNote, DocumentStore } from '../port.ts';
import { type Database, insertNew } from '../schema.ts';

export function documents(database: Database): DocumentStore {
  return {
    async read(name) {
      const row = await database
        .selectFrom('documents')
        .select(['content', 'mac'])
        .where('name', '=', name)
        .executeTakeFirst();
      return row ?? null;
    },

    async writeFirst(name, content, mac) {
      await insertNew(database, 'documents', [{ name, content, mac }]);
    },

    async write(name, content, mac) {
      await database
        .insertInto('documents')
        .values({ name, content, mac })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ content, mac }))
        .execute();
    },
  };
}

/** The document in which the command `backup` notes its last copy. It needs no MAC: it is only shown. */
export const backupNoteName = 'backup';

export async function lastBackupIn(reader: Database): Promise<BackupNote | null> {
  const note = await documents(reader).read(backupNoteName);
  return note === null ? null : JSON.parse(note.content);
}

/** The document that marks an SQLite file whose rows were moved to PostgreSQL. It needs no MAC: it only refuses. */
export const markName = 'move';

/** `to`: the database, without a password. */
export function markAsMoved(database: Database, to: string): Promise<void> {
  return documents(database).write(markName, to, new Uint8Array());
}

export async function movedTo(database: Database): Promise<string | null> {
  return (await documents(database).read(markName))?.content ?? null;
}

export async function refuseMoved(database: Database): Promise<void> {
  const to = await movedTo(database);
  if (to !== null)
    throw new OperatorError(
      `This database was moved to ${to}, and must not be changed any more. Set DATABASE_URL to the new database.`,
    );
}
