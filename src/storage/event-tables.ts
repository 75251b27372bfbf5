import { sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';
import type { Database } from './schema.ts';

/**
 * What the index of owners holds of each: more of a pseudonym tells no more owners apart, and every event changes another
 * page of that index, which with whole ones has four times as many.
 */
export const indexedOwner = sql<string>`substr(owner, 5, 8)`;

export function inIndex(owner: string): string {
  // As the databases count: by characters.
  return [...owner].slice(4, 12).join('');
}

/** The log of events. Positions are given by whoever appends (stores/events.ts): a sequence would give them before the commit. */
export async function createEventTables({ schema }: Database, types: ColumnTypes): Promise<void> {
  await schema
    .createTable('events')
    .addColumn('position', types.integer, (column) => column.primaryKey().notNull())
    .addColumn('at', types.integer, (column) => column.notNull())
    .addColumn('type', types.text, (column) => column.notNull())
    .addColumn('collection', types.text)
    .addColumn('record_id', types.text)
    .addColumn('owner', types.text, (column) => column.notNull())
    .addColumn('data', types.text, (column) => column.notNull())
    .modifyEnd(types.tableEnd)
    .execute();
  await schema.createIndex('events_owner').on('events').expression(sql`${indexedOwner}, position`).execute();
}
