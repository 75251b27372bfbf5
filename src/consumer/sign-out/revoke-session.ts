import { type Caller, revocationOf } from '../../base/caller.ts';
import { Refusal } from '../../base/errors.ts';
import type { Revocation, StandingStore, UsedDocument } from '../../storage/port.ts';
import type { RevocationNames } from '../pseudonym.ts';
import type { LogoutToken } from './logout-token.ts';

/** The assumed lifetime of access tokens where no setting limits it. A revocation is kept for that long. */
export const longestTokenLifeSeconds = 30 * 86_400;

interface RevokeSessionOptions {
  readonly pseudonymOf: (claims: Pick<Caller, 'issuer' | 'subject'>) => string | null;
  /** Maps the issuer of tokens to the one that pseudonyms are computed with. */
  readonly pseudonymIssuer: (issuer: string) => string;
  readonly names: RevocationNames;
  readonly revoke: Revoke;
}

export interface LogoutSource {
  readonly name: string;
  /** All spellings of `iss` in its access tokens; the logout token may have another one. */
  readonly tokenIssuers: readonly string[];
  readonly maxTokenLifetimeSeconds: number | null;
}

export type RevokeSession = ReturnType<typeof createRevokeSession>;

/** Stores the revocations of a logout token. Returns how many are new; null if the logout token was used before. */
export function createRevokeSession({ pseudonymOf, pseudonymIssuer, names, revoke }: RevokeSessionOptions) {
  const namesOf = (issuer: string, { subject, sessionId }: LogoutToken): readonly string[] => {
    const pseudonym = pseudonymOf({ issuer, subject });
    if (sessionId === null) return pseudonym === null ? [] : [names.caller(pseudonym)];
    // Many providers write no `sid` into access tokens. Such a token may belong to the session that ended.
    const unnamed = pseudonym === null ? [] : [names.withoutSession(pseudonym)];
    return [names.session(issuer, sessionId), ...unnamed];
  };

  return (token: LogoutToken, source: LogoutSource): Promise<number | null> => {
    const lifeMs = (source.maxTokenLifetimeSeconds ?? longestTokenLifeSeconds) * 1000;
    const revocations = [...new Set(source.tokenIssuers.map(pseudonymIssuer))]
      .flatMap((issuer) => namesOf(issuer, token))
      .map((name) => revocationOf(name, token.issuedAt, lifeMs));
    const document = { issuer: source.name, digest: names.document(token.id), expiresAt: token.expiresAt };
    return revoke('logout', source.name, revocations, document);
  };
}

/** Revocations that are kept for one issuer, in the memory of each process (36 MB): at least fifty thousand sign-outs. */
export const maxPerIssuer = 200_000;

interface RevokeOptions {
  readonly store: Pick<StandingStore, 'revoke'>;
  readonly standing: { readonly revocations: { countOf(issuer: string): number } };
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
    if (standing.revocations.countOf(issuer) >= maxPerIssuer)
      throw new Refusal('revocations_full', { detail: `issuer ${issuer}`, retryAfterSeconds: 60 });
    const added = await store.revoke(
      revocations.map((revocation) => ({ ...revocation, issuer })),
      { document, audit: null },
    );
    if (added !== null && added > 0) onRevoked(by);
    return added;
  };
}
