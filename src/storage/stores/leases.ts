import { sql } from 'kysely';
import type { Engine } from '../engine.ts';
import type { LeaseStore } from '../port.ts';

export function leaseStore({ name: engine, database }: Engine): LeaseStore {
  const now = databaseNow(engine);
  return {
    async take(name, holder, forMs) {
      const taken = await database
        .insertInto('leases')
        .values({ name, holder, ends_at: sql<number>`${now} + ${sql.lit(forMs)}` })
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet({ holder, ends_at: sql<number>`excluded.ends_at` })
            .where((where) =>
              where.or([
                where('leases.holder', '=', holder),
                where('leases.ends_at', '<=', now),
                // No lease is that long: the clock was ahead when it was taken, and was set back.
                where('leases.ends_at', '>', sql<number>`${now} + ${sql.lit(2 * forMs)}`),
              ]),
            ),
        )
        .executeTakeFirst();
      return taken.numInsertedOrUpdatedRows === 1n;
    },

    async release(name, holder) {
      await database.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute();
    },
  };
}

/** Milliseconds since 1970 by the database's clock, which is the same for all processes. */
function databaseNow(engine: Engine['name']) {
  return engine === 'postgres'
    ? sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
}
