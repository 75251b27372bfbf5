import { sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';
import type { Database } from './schema.ts';

/** What processes on one database share of each other: how often something was changed, and who does what in the background. */
export async function createSharedTables(database: Database, types: ColumnTypes): Promise<void> {
  await database.schema
    .createTable('changes')
    // One row, whatever happens.
    .addColumn('id', types.integer, (column) => column.primaryKey().notNull().check(sql`id = 1`))
    .addColumn('count', types.integer, (column) => column.notNull())
    .modifyEnd(types.tableEnd)
    .execute();
  await database.insertInto('changes').values({ id: 1, count: 0 }).execute();
  await database.schema
    .createTable('leases')
    .addColumn('name', types.text, (column) => column.primaryKey().notNull())
    .addColumn('holder', types.text, (column) => column.notNull())
    .addColumn('ends_at', types.integer, (column) => column.notNull())
    .modifyEnd(types.tableEnd)
    .execute();
}

/** Older processes go on counting all changes in one: see `watchChanges`. */
export async function countChangesByTable({ schema }: Database, types: ColumnTypes): Promise<void> {
  for (const table of ['consumers', 'clients', 'revocations', 'signing_keys', 'webhooks'])
    await schema
      .alterTable('changes')
      .addColumn(table, types.integer, (column) => column.notNull().defaultTo(0))
      .execute();
}
