import type { Engine } from '../engine.ts';
import type { Erasure, ErasureStore } from '../port.ts';
import type { Database } from '../schema.ts';
import { chunksOf } from './events.ts';

export function erasureStore({ database, reader }: Engine): ErasureStore {
  return {
    async list(afterId, limit) {
      const rows = await reader
        .selectFrom('erasures')
        .selectAll()
        .where('id', '>', afterId)
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(({ id, digest, at }) => ({ id, digest: new Uint8Array(digest), at }));
    },

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
  if (erasures.length === 0) return;
  await transaction
    .insertInto('erasures')
    .values(erasures.map(({ id, digest, at }) => ({ id, digest, at })))
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}
