import { randomUUID } from 'node:crypto';
import { plainSql } from '../support/databases/plain-sql.ts';
import type { Settings } from '../support/services/service.ts';

/** A role that may only connect: its URL of the same database, and its name. */
export async function newRole(settings: Settings): Promise<{ url: string; role: string }> {
  const role = `role_${randomUUID().replaceAll('-', '')}`;
  const password = randomUUID();
  await plainSql(settings).query(`create role ${role} login password '${password}'`);
  const url = new URL(String(settings.DATABASE_URL));
  url.username = role;
  url.password = password;
  return { url: url.href, role };
}

/** The URL of the same database for a role that may only read. */
export async function readerOf(settings: Settings): Promise<string> {
  const { url, role } = await newRole(settings);
  await plainSql(settings).query(`grant select on all tables in schema public to ${role}`);
  return url;
}
