import type { Engine } from '../engine.ts';
import type { AssertionStore } from '../port.ts';

export function assertionStore({ database }: Engine): AssertionStore {
  return {
    async use(clientId, digest, expiresAt, now) {
      if (now !== null) await database.deleteFrom('used_assertions').where('expires_at', '<', now).execute();
      const { numInsertedOrUpdatedRows } = await database
        .insertInto('used_assertions')
        .values({ client_id: clientId, digest, expires_at: expiresAt })
        .onConflict((conflict) => conflict.columns(['client_id', 'digest']).doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },
  };
}
