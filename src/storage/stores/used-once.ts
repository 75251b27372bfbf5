import type { UsedProof } from '../../base/caller.ts';
import { Refusal } from '../../base/errors.ts';
import type { Engine } from '../engine.ts';
import type { AssertionStore } from '../port.ts';
import { type Database, insertNew } from '../schema.ts';

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
  clientId: string,
  digest: Uint8Array,
  expiresAt: number,
): Promise<boolean> {
  return (await insertNew(database, 'used_assertions', [{ clientId, digest, expiresAt }])) === 1;
}

/** Call it in the transaction that the proof is for; a replayed proof rolls it back. */
export async function useProof(transaction: Database, proof: UsedProof): Promise<void> {
  if ((await insertNew(transaction, 'proofs', [proof])) !== 1) throw new Refusal('proof_replayed');
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
