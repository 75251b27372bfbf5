import type { ColumnTypes } from './column-types.ts';
import type { Database } from './schema.ts';

/** Who was erased, under a keyed digest of the pseudonym: a backup that is restored may still have what was erased since. */
export async function createErasures({ schema }: Database, types: ColumnTypes): Promise<void> {
  await schema
    .createTable('erasures')
    .addColumn('id', types.text, (column) => column.primaryKey().notNull())
    .addColumn('digest', types.bytes, (column) => column.notNull())
    .addColumn('at', types.integer, (column) => column.notNull())
    .modifyEnd(types.keyedTableEnd)
    .execute();
}
