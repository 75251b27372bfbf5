import { sql } from 'kysely';
import type { Engine } from '../engine.ts';
import type { StandingStore } from '../port.ts';

export function standingStore(engine: Engine): StandingStore {
  const { database } = engine;
  return {
    async read() {
      const suspended = await database
        .selectFrom('consumers')
        .select('id')
        // Written out, so that the partial index is used.
        .where('state', '=', sql.lit('suspended'))
        .execute();
      const active = await database
        .selectFrom('clients')
        .select(['id', 'created_at'])
        .where('state', '=', 'active')
        .execute();
      return {
        suspendedConsumers: suspended.map(({ id }) => id),
        activeClients: active.map(({ id, created_at }) => ({ id, createdAt: created_at })),
      };
    },

    watch: (onChange) => engine.watch(onChange),
  };
}
