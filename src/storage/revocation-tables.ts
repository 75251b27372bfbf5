import type { ColumnTypes } from './column-types.ts';
import type { Database } from './schema.ts';

/** Tokens that were taken back, under keyed digests: nobody's name and no token is in it. */
export async function createRevocations({ schema }: Database, types: ColumnTypes): Promise<void> {
  await schema
    .createTable('revocations')
    .addColumn('name', types.text, (column) => column.primaryKey().notNull())
    .addColumn('issued_until', types.integer, (column) => column.notNull())
    .addColumn('forget_at', types.integer, (column) => column.notNull())
    .addColumn('seq', types.integer, (column) => column.notNull())
    .modifyEnd(types.tableEnd)
    .execute();
  await schema.createIndex('revocations_seq').on('revocations').column('seq').execute();
}

/**
 * There are a hundred thousand rows at most, so that it takes a moment. What older processes note is never replaced, only
 * forgotten when its time has come; and it does not say that it has moved, so that all of it is read anew.
 */
export async function addCoveredBy({ schema }: Database, types: ColumnTypes): Promise<void> {
  await schema.alterTable('revocations').addColumn('covered_by', types.text).execute();
  await schema.alterTable('revocations').addColumn('moved_from', types.integer).execute();
}
