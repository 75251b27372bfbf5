import { sql } from 'kysely';
import { clockDifferenceMs } from '../../base/clock.ts';
import { tables } from '../batch/tables.ts';
import type { Engine } from '../engine.ts';
import type { Consumer, ConsumerStore } from '../port.ts';
import { columnsOf, type Database } from '../schema.ts';
import { audited, writeAudit } from './audit.ts';

export function consumerStore(engine: Engine): ConsumerStore {
  const { database, reader } = engine;

  const consumersIn = (of: Database) =>
    of.selectFrom('consumers').select(columnsOf(tables.consumers)).$castTo<Consumer>();

  return {
    async find(id) {
      return (await consumersIn(reader).where('id', '=', id).executeTakeFirst()) ?? null;
    },

    bringBack: (now) =>
      database.transaction().execute(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('consumers')
          .set({ registered_at: now })
          // A literal, so that the partial index is used.
          .where('kind', '=', sql.lit('user'))
          .where('registered_at', '>', now + clockDifferenceMs)
          .executeTakeFirst();
        if (numUpdatedRows > 0n) await engine.announce(transaction, 'consumers');
        return Number(numUpdatedRows);
      }),

    ofRecord: (collection, id, audit) =>
      database.transaction().execute(async (transaction) => {
        const owner = transaction
          .selectFrom('records')
          .select('owner')
          .where('collection', '=', collection)
          .where('records.id', '=', id);
        const consumer = await consumersIn(transaction).where('id', '=', owner).executeTakeFirst();
        if (consumer === undefined) return null;
        await writeAudit(transaction, audit);
        return consumer;
      }),

    setState: (id, state, audit) =>
      audited(engine, 'consumers', audit, async (transaction) => {
        const update = transaction.updateTable('consumers').set({ state }).where('id', '=', id);
        return (await update.executeTakeFirst()).numUpdatedRows === 1n;
      }),
  };
}
