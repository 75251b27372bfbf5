import { sql } from 'kysely';
import { clockDifferenceMs } from '../../base/clock.ts';
import type { Engine } from '../engine.ts';
import type { Consumer, ConsumerStore } from '../port.ts';
import type { Tables } from '../schema.ts';
import { writeAudit } from './audit.ts';

export function consumerStore(engine: Engine): ConsumerStore {
  const { database, reader } = engine;

  async function find(id: string): Promise<Consumer | null> {
    const row = await reader.selectFrom('consumers').selectAll().where('id', '=', id).executeTakeFirst();
    return row === undefined ? null : toConsumer(row);
  }

  return {
    find,

    /** Reads first: a caller is registered once and seen many times, and a read costs no write. */
    async register(id, kind, now) {
      const known = await find(id);
      if (known !== null) return known;
      const consumer: Consumer = { id, kind, state: 'active', registeredAt: now };
      const { numInsertedOrUpdatedRows } = await database
        .insertInto('consumers')
        .values({ id, kind, state: consumer.state, registered_at: now })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirst();
      // Where somebody else was first, what the table says is the truth.
      return numInsertedOrUpdatedRows === 1n ? consumer : ((await find(id)) ?? consumer);
    },

    bringBack: (now) =>
      database.transaction().execute(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('consumers')
          .set({ registered_at: now })
          // Written out, so that the partial index is used.
          .where('kind', '=', sql.lit('user'))
          .where('registered_at', '>', now + clockDifferenceMs)
          .executeTakeFirst();
        if (numUpdatedRows > 0n) await engine.announce(transaction);
        return Number(numUpdatedRows);
      }),

    setState: (id, state, audit) =>
      database.transaction().execute(async (transaction) => {
        const result = await transaction
          .updateTable('consumers')
          .set({ state })
          .where('id', '=', id)
          .executeTakeFirst();
        if (result.numUpdatedRows !== 1n) return false;
        await writeAudit(transaction, audit);
        await engine.announce(transaction);
        return true;
      }),
  };
}

export function toConsumer(row: Tables['consumers']): Consumer {
  return { id: row.id, kind: row.kind, state: row.state, registeredAt: row.registered_at };
}
