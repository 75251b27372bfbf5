import { DatabaseSync } from 'node:sqlite';
import type { Settings } from '../services/service.ts';
import { postgresDatabase, sqliteDatabase, type TestDatabase } from './databases.ts';

export function plainSql(settings: Settings): TestDatabase {
  const url = String(settings.DATABASE_URL);
  return url.startsWith('sqlite:') ? sqliteDatabase(url.slice('sqlite:'.length)) : postgresDatabase(url);
}

/** Statements without the foreign keys of the database. */
export async function withoutForeignKeys(settings: Settings, statements: string): Promise<void> {
  const url = String(settings.DATABASE_URL);
  if (!url.startsWith('sqlite:')) {
    await postgresDatabase(url).query(
      `begin; set local session_replication_role = replica; ${statements}; commit`,
    );
    return;
  }
  const file = url.slice('sqlite:'.length);
  const database = new DatabaseSync(file, { timeout: 5_000, enableForeignKeyConstraints: false });
  try {
    database.exec(statements);
  } finally {
    database.close();
  }
}
