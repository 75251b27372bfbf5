import type { ColumnTypes } from './column-types.ts';
import type { Database } from './schema.ts';

/** The proofs with which writes came, until they are too old to be accepted. */
export async function createProofs({ schema }: Database, types: ColumnTypes): Promise<void> {
  await schema
    .createTable('proofs')
    .addColumn('digest', types.bytes, (column) => column.primaryKey().notNull())
    .addColumn('expires_at', types.integer, (column) => column.notNull())
    .modifyEnd(types.keyedTableEnd)
    .execute();
  await schema.createIndex('proofs_expiry').on('proofs').column('expires_at').execute();
}
