import { postgresDatabase, sqliteDatabase, type TestDatabase } from './databases.ts';
import type { Settings } from './service.ts';

/** The database of a service, past the service: what somebody with a plain driver can do to it. */
export function plainSql(settings: Settings): TestDatabase {
  const url = String(settings.DATABASE_URL);
  return url.startsWith('sqlite:') ? sqliteDatabase(url.slice('sqlite:'.length)) : postgresDatabase(url);
}
