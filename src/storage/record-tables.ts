import { sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';
import type { Database } from './schema.ts';

/**
 * The tables of declared collections. Every write pays for every index, so here are only those that all collections
 * need; what one collection needs besides is made when it is declared (record-indexes.ts).
 */
export async function createRecordTables({ schema }: Database, types: ColumnTypes): Promise<void> {
  await schema
    .createTable('records')
    .addColumn('collection', types.text, (column) => column.notNull())
    .addColumn('id', types.text, (column) => column.notNull())
    .addColumn('owner', types.text, (column) => column.notNull())
    .addColumn('state', types.text)
    .addColumn('revision', types.text, (column) => column.notNull())
    .addColumn('created_at', types.integer, (column) => column.notNull())
    .addColumn('updated_at', types.integer, (column) => column.notNull())
    .addColumn('body', types.text, (column) => column.notNull())
    .addColumn('bytes', types.integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('records_key', ['collection', 'id'])
    .modifyEnd(types.tableEnd)
    .execute();
  await schema
    .createIndex('records_owner')
    .on('records')
    .columns(['owner', 'collection', 'created_at', 'id'])
    .execute();
  await schema
    .createIndex('records_state')
    .on('records')
    .columns(['collection', 'state', 'created_at', 'id'])
    .where(sql`state`, 'is not', null)
    .execute();
  await schema
    .createTable('usage')
    .addColumn('owner', types.text, (column) => column.notNull())
    .addColumn('collection', types.text, (column) => column.notNull())
    .addColumn('records', types.integer, (column) => column.notNull())
    .addColumn('writes', types.integer, (column) => column.notNull())
    .addColumn('writes_since', types.integer, (column) => column.notNull())
    .addColumn('newcomer_writes', types.integer, (column) => column.notNull())
    .addColumn('newcomer_since', types.integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_key', ['owner', 'collection'])
    .modifyEnd(types.keyedTableEnd)
    .execute();
  await schema
    .createTable('idempotency_keys')
    .addColumn('owner', types.text, (column) => column.notNull())
    .addColumn('collection', types.text, (column) => column.notNull())
    .addColumn('key_digest', types.bytes, (column) => column.notNull())
    .addColumn('request_digest', types.bytes, (column) => column.notNull())
    .addColumn('record_id', types.text, (column) => column.notNull())
    .addColumn('expires_at', types.integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('idempotency_keys_key', ['owner', 'collection', 'key_digest'])
    .modifyEnd(types.keyedTableEnd)
    .execute();
  await schema.createIndex('idempotency_keys_expiry').on('idempotency_keys').column('expires_at').execute();
  await schema
    .createIndex('consumers_newcomers')
    .on('consumers')
    .column('registered_at')
    .where(sql`kind`, '=', sql.lit('user'))
    .execute();
}

/** What erased callers had spent of budgets whose windows still run, under a keyed digest of their pseudonym. */
export async function createSpentBudgets({ schema }: Database, types: ColumnTypes): Promise<void> {
  await schema
    .createTable('spent_budgets')
    .addColumn('former', types.bytes, (column) => column.notNull())
    .addColumn('collection', types.text, (column) => column.notNull())
    .addColumn('writes', types.integer, (column) => column.notNull())
    .addColumn('writes_since', types.integer, (column) => column.notNull())
    .addColumn('newcomer_writes', types.integer, (column) => column.notNull())
    .addColumn('newcomer_since', types.integer, (column) => column.notNull())
    .addColumn('ends_at', types.integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('spent_budgets_key', ['former', 'collection'])
    .modifyEnd(types.keyedTableEnd)
    .execute();
  await schema.createIndex('spent_budgets_end').on('spent_budgets').column('ends_at').execute();
}
