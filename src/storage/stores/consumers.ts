import { sql } from 'kysely';
import { clockDifferenceMs } from '../../base/clock.ts';
import type { Engine } from '../engine.ts';
import type { Consumer, ConsumerStore } from '../port.ts';
import { toConsumer } from '../rows.ts';
import { audited, writeAudit } from './audit.ts';

export function consumerStore(engine: Engine): ConsumerStore {
  const { database, reader } = engine;

  async function find(id: string): Promise<Consumer | null> {
    const row = await reader.selectFrom('consumers').selectAll().where('id', '=', id).executeTakeFirst();
    return row === undefined ? null : toConsumer(row);
  }

  return {
    find,

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
        const row = await transaction
          .selectFrom('records')
          .innerJoin('consumers', 'consumers.id', 'records.owner')
          .selectAll('consumers')
          .where('records.collection', '=', collection)
          .where('records.id', '=', id)
          .executeTakeFirst();
        if (row === undefined) return null;
        await writeAudit(transaction, audit);
        return toConsumer(row);
      }),

    setState: (id, state, audit) =>
      audited(engine, 'consumers', audit, async (transaction) => {
        const update = transaction.updateTable('consumers').set({ state }).where('id', '=', id);
        return (await update.executeTakeFirst()).numUpdatedRows === 1n;
      }),
  };
}
