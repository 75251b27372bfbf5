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
    .addColumn('covered_by', types.text)
    .addColumn('moved_from', types.integer)
    .modifyEnd(types.tableEnd)
    .execute();
  await schema.createIndex('revocations_seq').on('revocations').column('seq').execute();
}
