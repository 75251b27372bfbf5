import { sql } from 'kysely';
import type { MissingRights } from '../engine.ts';
import type { Database } from '../schema.ts';

/**
 * Since PostgreSQL 15 a role may make nothing in the schema "public" unless it is told that it may. A role without any right
 * on a schema does not even see it: `current_schema()` is null then.
 */
export async function missingRights(database: Database): Promise<MissingRights | null> {
  const { rows } = await sql<{ role: string; schema: string; may_create: boolean }>`
    select quote_ident(current_user) as role, quote_ident(coalesce(current_schema(), 'public')) as schema,
      coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) as may_create`.execute(database);
  const [row] = rows;
  if (row === undefined || row.may_create) return null;
  const { role, schema } = row;
  return {
    found: `the role ${role} may not make tables in the schema ${schema}`,
    advice: `Have the owner of the database run: GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role};`,
  };
}
