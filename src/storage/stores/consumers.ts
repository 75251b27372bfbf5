import type { Consumer, ConsumerStore } from '../port.ts';
import type { Database } from '../schema.ts';

export function consumerStore(database: Database): ConsumerStore {
  async function find(id: string): Promise<Consumer | undefined> {
    const row = await database.selectFrom('consumers').selectAll().where('id', '=', id).executeTakeFirst();
    if (row === undefined) return undefined;
    return { id: row.id, kind: row.kind, state: row.state, registeredAt: row.registered_at };
  }

  return {
    /** Reads first: a caller is registered once and seen many times, and a read costs no write. */
    async register(id, kind, now) {
      const known = await find(id);
      if (known !== undefined) return known;
      const consumer: Consumer = { id, kind, state: 'active', registeredAt: now };
      await database
        .insertInto('consumers')
        .values({ id, kind, state: consumer.state, registered_at: now })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
      // Somebody else may have been first: what the table says is the truth.
      return (await find(id)) ?? consumer;
    },
  };
}
