import type { UsedProof } from '../../base/caller.ts';
import { Refusal } from '../../base/errors.ts';
import type { Database } from '../schema.ts';

/** Within the transaction of what the proof is for, which comes to nothing where the proof was used before. */
export async function useProof(transaction: Database, { digest, expiresAt }: UsedProof): Promise<void> {
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('proofs')
    .values({ digest, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('digest').doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows !== 1n) throw new Refusal('proof_replayed');
}

/** Forgets up to so many of those that expired at that time or before; answers with their number. */
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
