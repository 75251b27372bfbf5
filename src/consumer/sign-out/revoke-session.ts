import type { Caller } from '../../base/caller.ts';
import { revocationOf } from '../../base/revocation.ts';
import type { RevocationNames } from '../revocation-names.ts';
import type { LogoutToken } from './logout-token.ts';
import type { Revoke } from './revoke.ts';

/** The assumed lifetime of access tokens where no setting limits it. A revocation is kept for that long. */
export const longestTokenLifeSeconds = 30 * 86_400;

interface RevokeSessionOptions {
  readonly pseudonymOf: (claims: Pick<Caller, 'issuer' | 'subject'>) => string | null;
  /** Maps the issuer of tokens to the one that pseudonyms are computed with. */
  readonly pseudonymIssuer: (issuer: string) => string;
  readonly names: RevocationNames;
  readonly revoke: Revoke;
}

/** The provider that signed a logout token. */
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
