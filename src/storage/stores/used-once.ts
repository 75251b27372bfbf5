import type { UsedProof } from '../../base/caller.ts';
import { Refusal } from '../../base/errors.ts';
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

/** False if any process has used it before. */
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

/** Call it in the transaction that the proof is for; a replayed proof rolls it back. */
export async function useProof(transaction: Database, { digest, expiresAt }: UsedProof): Promise<void> {
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('proofs')
    .values({ digest, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('digest').doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows !== 1n) throw new Refusal('proof_replayed');
}

export async function expireProofs(database: Database, expiredAt: number, limit: number): Promise<number> {
  const { numDeletedRows } = await database
    .deleteFrom('proofs')
    .where('digest', 'in', (select) =>
      select
        .selectFrom('proofs')
        .select('digest')
        .where('expires_at', '<=', expiredAt)
        .orderBy('expires_at')
        .limit(limit),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}
