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
        .leftJoin('client_secrets', 'client_secrets.client_id', 'clients.id')
        .select(['clients.id', 'clients.created_at', 'clients.public_keys', 'client_secrets.id as secret_id'])
        .where('state', '=', 'active')
        .execute();
      return {
        suspendedConsumers: suspended.map(({ id }) => id),
        activeClients: [...Map.groupBy(active, ({ id }) => id)].map(([id, rows]) => ({
          id,
          createdAt: rows[0]?.created_at ?? 0,
          hasKeys: typeof rows[0]?.public_keys === 'string',
          secretIds: rows.flatMap(({ secret_id }) => secret_id ?? []),
        })),
      };
    },

    watch: (onChange) => engine.watch(onChange),
  };
}
