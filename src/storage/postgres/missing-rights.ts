import { sql } from 'kysely';
import type { MissingRights } from '../engine.ts';
import { type Database, tables } from '../schema.ts';

const change = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];
const appendOnly = new Set(['schema_migrations', 'audit', 'erasures']);

interface Role {
  readonly role: string;
  readonly schema: string;
  readonly may_create: boolean;
}

/** Reading needs SELECT on the existing tables; serving needs writing and creating tables. */
export async function missingRights(
  database: Database,
  purpose: 'look' | 'serve',
): Promise<MissingRights | null> {
  const { role, schema, may_create } = await roleNow(database);
  const lacking = await lackingTables(database, purpose);
  const found: string[] = [];
  const grants: string[] = [];
  if (purpose === 'serve' && !may_create) {
    found.push(`may not make tables in the schema ${schema}`);
    grants.push(`USAGE, CREATE ON SCHEMA ${schema}`);
  }
  if (lacking.length > 0) {
    const rights = change.filter((right) => lacking.some((each) => each.right === right));
    const named = new Set(lacking.map(({ table }) => table));
    found.push(`may not ${rights.join(', ')} in the tables ${[...named].join(', ')}`);
    grants.push(...tableGrants(lacking));
  }
  if (found.length === 0) return null;
  const statements = grants.map((grant) => `GRANT ${grant} TO ${role};`);
  return {
    found: `the role ${role} ${found.join(', and ')}`,
    advice: `Have the owner of the database run: ${statements.join(' ')}`,
  };
}

/** Since PostgreSQL 15 a role needs a grant to create tables in "public"; without any right `current_schema()` is null. */
async function roleNow(database: Database): Promise<Role> {
  const { rows } = await sql<Role>`
    select quote_ident(current_user) as role, quote_ident(coalesce(current_schema(), 'public')) as schema,
      coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) as may_create`.execute(database);
  return rows[0] as Role;
}

interface Lacking {
  readonly table: string;
  readonly right: string;
}

/** Rights on the tables that exist. */
async function lackingTables(database: Database, purpose: 'look' | 'serve'): Promise<readonly Lacking[]> {
  const pairs = Object.keys(tables).flatMap((table) => {
    const toServe = appendOnly.has(table) ? ['SELECT', 'INSERT'] : change;
    return (purpose === 'look' ? ['SELECT'] : toServe).map((right) => ({ table, right }));
  });
  const { rows } = await sql<Lacking>`
    select format('%I.%I', namespace.nspname, relation.relname) as "table", needed.right as "right"
    from unnest(${pairs.map(({ table }) => table)}::text[], ${pairs.map(({ right }) => right)}::text[])
      as needed("table", "right")
    join pg_class relation on relation.oid = to_regclass(needed.table)
    join pg_namespace namespace on namespace.oid = relation.relnamespace
    where not has_table_privilege(relation.oid, needed.right)
    order by 1`.execute(database);
  return rows;
}

function tableGrants(lacking: readonly Lacking[]): readonly string[] {
  const byTable = Map.groupBy(lacking, ({ table }) => table);
  const byRights = Map.groupBy(byTable.keys(), (table) =>
    (byTable.get(table) ?? []).map(({ right }) => right).join(', '),
  );
  return [...byRights].map(([rights, tables]) => `${rights} ON ${tables.join(', ')}`);
}
