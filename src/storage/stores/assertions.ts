import type { Engine } from '../engine.ts';
import type { AssertionStore } from '../port.ts';
import type { Database } from '../schema.ts';

export function assertionStore({ database }: Engine): AssertionStore {
  const forgetUsed = async (now: number) => {
    await database.deleteFrom('used_assertions').where('expires_at', '<', now).execute();
  };
  return {
    async use(clientId, digest, expiresAt, now) {
      if (now !== null) await forgetUsed(now);
      return isFirstUse(database, clientId, digest, expiresAt);
    },

    forgetUsed,
  };
}

/** Notes that it was used; false when it was before, by any process. */
export async function isFirstUse(
  database: Database,
  by: string,
  digest: Uint8Array,
  expiresAt: number,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await database
    .insertInto('used_assertions')
    .values({ client_id: by, digest, expires_at: expiresAt })
    .onConflict((conflict) => conflict.columns(['client_id', 'digest']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}
