import type { ColumnTypes } from './column-types.ts';
import type { Database } from './schema.ts';

/**
 * Under which pseudonyms consumers were kept before, as the digest that an erasure is noted under. A backup from before
 * has them, and whoever is erased has to be erased there, too; and whoever is suspended is refused under them.
 */
export async function createRenamedConsumers({ schema }: Database, types: ColumnTypes): Promise<void> {
  await schema
    .createTable('renamed_consumers')
    .addColumn('former', types.bytes, (column) => column.primaryKey().notNull())
    .addColumn('owner', types.text, (column) => column.notNull())
    .modifyEnd(types.keyedTableEnd)
    .execute();
  await schema.createIndex('renamed_consumers_owner').on('renamed_consumers').column('owner').execute();
}
