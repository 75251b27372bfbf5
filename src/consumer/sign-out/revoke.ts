import { Refusal } from '../../base/errors.ts';
import type { Revocation, StandingStore, UsedDocument } from '../../storage/port.ts';

/**
 * Revocations that are kept for one issuer. Each process has them in memory: 36 MB when the limit is reached. A logout token
 * needs up to four of them, so that is fifty thousand sign-outs within the lifetime of an access token.
 */
export const mostPerIssuer = 200_000;

interface RevokeOptions {
  readonly store: Pick<StandingStore, 'revoke'>;
  readonly standing: { countRevocations(issuer: string): number };
  /** Called when a revocation is new. */
  readonly onRevoked: (by: 'logout' | 'client') => void;
}

export type Revoke = ReturnType<typeof createRevoke>;

/**
 * Stores the revocations of one request, or refuses it when its issuer has too many. None is dropped to make room: that
 * would revive tokens that were revoked. The limit is for memory, and several processes may exceed it by a few.
 */
export function createRevoke({ store, standing, onRevoked }: RevokeOptions) {
  /** Returns how many revocations are new; null if the document was used before. `issuer` as in `Revocation`. */
  return async (
    by: 'logout' | 'client',
    issuer: string,
    revocations: readonly Omit<Revocation, 'issuer'>[],
    document: UsedDocument | null,
  ): Promise<number | null> => {
    if (standing.countRevocations(issuer) >= mostPerIssuer)
      throw new Refusal('revocations_full', { detail: `issuer ${issuer}`, retryAfterSeconds: 60 });
    const added = await store.revoke(
      revocations.map((revocation) => ({ ...revocation, issuer })),
      { document, audit: null },
    );
    if (added !== null && added > 0) onRevoked(by);
    return added;
  };
}
