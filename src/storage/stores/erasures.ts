import type { Engine } from '../engine.ts';
import type { Erasure, ErasureStore } from '../port.ts';
import { type Database, insertNew, rowsOf } from '../schema.ts';
import { chunksOf } from './events.ts';

export function erasureStore({ database, reader }: Engine): ErasureStore {
  return {
    list: (afterId, limit) =>
      rowsOf(reader, 'erasures').where('id', '>', afterId).orderBy('id').limit(limit).execute(),

    async add(erasures) {
      for (const some of chunksOf(erasures)) await noteErasures(database, some);
    },

    async owners(after, limit) {
      const rows = await reader
        .selectFrom('consumers')
        .select('id')
        .where('id', '>', after)
        // Every owner of counted records is a consumer, unless the tables were edited by hand.
        .union(reader.selectFrom('usage').select('owner as id').where('owner', '>', after))
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}

/** Called in the transaction that erases. */
export async function noteErasures(transaction: Database, erasures: readonly Erasure[]): Promise<void> {
  if (erasures.length > 0) await insertNew(transaction, 'erasures', erasures);
}
