import type { TestDatabase } from '../support/databases/databases.ts';

type Query = TestDatabase['query'];

/** The statements that make the schema of a database: what rows need, and what follows them. */
interface SchemaText {
  readonly tables: ReadonlyMap<string, string>;
  readonly rest: readonly string[];
}

/** A PostgreSQL database as plain SQL, made from its catalogue: `pg_dump` refuses a newer server than itself. */
export async function dumpPostgres(query: Query): Promise<string> {
  const { tables, rest } = await postgresSchema(query);
  const rows: string[] = [];
  for (const table of tables.keys()) rows.push(...(await insertsOf(query, table)));
  const numbered = await query(
    "select max(seq) as last, pg_get_serial_sequence('audit', 'seq') as name from audit",
  );
  const sequences = numbered.map(({ last, name }) => `select setval('${name}', ${last})`);
  return [...tables.values(), ...rows, ...sequences, ...rest].map((statement) => `${statement};\n`).join('');
}

export async function postgresSchema(query: Query): Promise<SchemaText> {
  const texts = async (sql: string) => (await query(sql)).map(({ text }) => String(text));
  const tables = await query(`
    select c.relname as name, 'create table ' || c.relname || E' (\\n  ' || string_agg(
      a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
      || case when a.attcollation <> t.typcollation then ' collate "' || o.collname || '"' else '' end
      || case when a.attidentity = 'a' then ' generated always as identity'
         when a.attgenerated = 's' then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
         when d.adbin is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid) else '' end
      || case when a.attnotnull then ' not null' else '' end, E',\\n  ' order by a.attnum) || E'\\n)' as text
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid left join pg_collation o on o.oid = a.attcollation
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace group by c.relname order by c.relname`);
  const constraints = `select 'alter table ' || conrelid::regclass || ' add constraint ' || conname || ' '
    || pg_get_constraintdef(oid) as text from pg_constraint where connamespace = 'public'::regnamespace
    and contype in ('p', 'u', 'c', 'f') order by contype = 'f', conrelid::regclass::text, conname`;
  const indexes = `select pg_get_indexdef(i.indexrelid) as text from pg_index i
    join pg_class c on c.oid = i.indexrelid and c.relnamespace = 'public'::regnamespace
    where not exists (select 1 from pg_constraint where conindid = i.indexrelid and contype in ('p', 'u')) order by 1`;
  const functions = `select pg_get_functiondef(oid) as text from pg_proc
    where pronamespace = 'public'::regnamespace order by 1`;
  const triggers = 'select pg_get_triggerdef(oid) as text from pg_trigger where not tgisinternal order by 1';
  const rest: string[] = [];
  for (const one of [constraints, indexes, functions, triggers]) rest.push(...(await texts(one)));
  return { tables: new Map(tables.map(({ name, text }) => [String(name), String(text)])), rest };
}

async function insertsOf(query: Query, table: string): Promise<readonly string[]> {
  const columns = await query(`select column_name as name from information_schema.columns
    where table_schema = 'public' and table_name = '${table}' and is_generated = 'NEVER' order by ordinal_position`);
  const names = columns.map(({ name }) => String(name));
  const values = names.map((name) => `coalesce(quote_literal(${name}::text), 'null')`).join(`, ', ', `);
  const rows = await query(`select concat(${values}) as text from ${table} order by 1`);
  return rows.map(
    ({ text }) => `insert into ${table} (${names.join(', ')}) overriding system value values (${text})`,
  );
}
