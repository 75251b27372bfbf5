import { sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';
import type { Database } from './schema.ts';

/** Webhooks, and what is still to be delivered to them. */
export async function createWebhookTables({ schema }: Database, types: ColumnTypes): Promise<void> {
  await schema
    .createTable('webhooks')
    .addColumn('id', types.text, (column) => column.primaryKey().notNull())
    .addColumn('url', types.text, (column) => column.notNull())
    .addColumn('events', types.text, (column) => column.notNull())
    .addColumn('secret', types.bytes, (column) => column.notNull())
    .addColumn('previous_secret', types.bytes)
    .addColumn('previous_ends_at', types.integer)
    .addColumn('created_at', types.integer, (column) => column.notNull())
    .addColumn('state', types.text, (column) => column.notNull().check(sql`state in ('active', 'disabled')`))
    .addColumn('disabled_because', types.text)
    .addColumn('position', types.integer, (column) => column.notNull())
    .addColumn('failing_since', types.integer)
    .addColumn('failures', types.integer, (column) => column.notNull())
    .addColumn('resting_since', types.integer)
    .addColumn('paused_until', types.integer)
    .addColumn('last_success_at', types.integer)
    .addColumn('last_failure', types.text)
    .addColumn('delivered', types.integer, (column) => column.notNull())
    .addColumn('lease_holder', types.text)
    .addColumn('lease_until', types.integer, (column) => column.notNull())
    .modifyEnd(types.tableEnd)
    .execute();
  await schema
    .createTable('deliveries')
    .addColumn('webhook_id', types.text, (column) =>
      column.notNull().references('webhooks.id').onDelete('cascade'),
    )
    // Whatever deletes an event, because it is old or its owner is erased, deletes what was still to be told of it.
    .addColumn('position', types.integer, (column) =>
      column.notNull().references('events.position').onDelete('cascade'),
    )
    .addColumn('record_key', types.text, (column) => column.notNull())
    .addColumn('attempts', types.integer, (column) => column.notNull())
    .addColumn('due_at', types.integer, (column) => column.notNull())
    .addColumn('state', types.text, (column) => column.notNull().check(sql`state in ('pending', 'dead')`))
    .addColumn('reason', types.text)
    .addColumn('tried_at', types.integer)
    .addPrimaryKeyConstraint('deliveries_key', ['webhook_id', 'position'])
    .modifyEnd(types.keyedTableEnd)
    .execute();
  // They are counted every few seconds, beside however many that wait.
  await schema
    .createIndex('deliveries_dead')
    .on('deliveries')
    .columns(['webhook_id', 'position'])
    .where(sql`state`, '=', sql.lit('dead'))
    .execute();
  await schema.createIndex('deliveries_event').on('deliveries').column('position').execute();
  // Of those that wait only the ones that failed wait for a time to come, and they are few.
  await schema
    .createIndex('deliveries_waiting')
    .on('deliveries')
    .columns(['webhook_id', 'due_at'])
    .where(sql`state`, '=', sql.lit('pending'))
    .where(sql`tried_at`, 'is not', null)
    .execute();
}
