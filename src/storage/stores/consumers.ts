import { sql } from 'kysely';
import { clockDifferenceMs } from '../../base/clock.ts';
import type { Engine } from '../engine.ts';
import type { Consumer, ConsumerStore } from '../port.ts';
import type { Database, Tables } from '../schema.ts';
import { writeAudit } from './audit.ts';

export function consumerStore(engine: Engine): ConsumerStore {
  const { database, reader } = engine;

  async function find(id: string): Promise<Consumer | null> {
    const row = await reader.selectFrom('consumers').selectAll().where('id', '=', id).executeTakeFirst();
    return row === undefined ? null : toConsumer(row);
  }

  async function hasSpent(former: Uint8Array): Promise<boolean> {
    const row = await reader
      .selectFrom('spent_budgets')
      .select('collection')
      .where('former', '=', former)
      .executeTakeFirst();
    return row !== undefined;
  }

  return {
    find,

    /** Reads first: a caller is registered once and seen many times, and a read costs no write. */
    async register(id, kind, now, former) {
      const known = await find(id);
      if (known !== null) return known;
      const consumer: Consumer = { id, kind, state: 'active', registeredAt: now };
      const isFirst =
        former !== undefined && (await hasSpent(former))
          ? await database.transaction().execute(async (transaction) => {
              const isNew = await insert(transaction, consumer);
              await takeUpBudgets(transaction, former, consumer);
              return isNew;
            })
          : await insert(database, consumer);
      // Where somebody else was first, what the table says is the truth.
      return isFirst ? consumer : ((await find(id)) ?? consumer);
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

/** False when it is there already. */
async function insert(database: Database, { id, kind, state, registeredAt }: Consumer): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await database
    .insertInto('consumers')
    .values({ id, kind, state, registered_at: registeredAt })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Somebody who was erased is back: what it had spent is its own again, as far as it still counts. */
async function takeUpBudgets(
  transaction: Database,
  former: Uint8Array,
  { id, registeredAt }: Consumer,
): Promise<void> {
  const spent = await transaction
    .deleteFrom('spent_budgets')
    .where('former', '=', former)
    .returningAll()
    .execute();
  const usage = spent
    .filter(({ ends_at }) => ends_at > registeredAt)
    .map(({ former: _former, ends_at: _endsAt, ...row }) => ({ ...row, owner: id, records: 0 }));
  if (usage.length === 0) return;
  await transaction
    .insertInto('usage')
    .values(usage)
    .onConflict((conflict) => conflict.columns(['owner', 'collection']).doNothing())
    .execute();
}

export function toConsumer(row: Tables['consumers']): Consumer {
  return { id: row.id, kind: row.kind, state: row.state, registeredAt: row.registered_at };
}
