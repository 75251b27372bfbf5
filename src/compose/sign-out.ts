import { createOpenDocument, createVerifier } from '../auth/verifier.ts';
import type { Input } from '../base/handler.ts';
import { createPseudonym } from '../consumer/pseudonym.ts';
import type { LogoutParts } from '../consumer/sign-out/logout.ts';
import { checkLogoutToken } from '../consumer/sign-out/logout-token.ts';
import { createRevoke, createRevokeSession, type Revoke } from '../consumer/sign-out/revoke-session.ts';
import type { RevokeParts } from '../tokens/revoke.ts';
import type { BaseParts } from './base-parts.ts';
import type { Callers } from './callers.ts';

/** The ways to revoke tokens: logout tokens of providers, and POST /revoke for tokens of this service. */
export function createSignOut(base: BaseParts, callers: Callers) {
  const { issuer, storage, metrics, clock } = base;
  const { own, names, standing, signatures } = callers;
  const revoke = createRevoke({ store: storage.standing, standing, onRevoked: metrics.countSignOut });
  const verify = createVerifier([own], clock, signatures);
  const revokeParts: Omit<RevokeParts, 'recognise' | 'throttle'> = {
    verifyOwn: async (token: string, input: Input) => (await verify(token, input)).claims,
    nameOf: names.token,
    revoke: (revocation) => revoke('client', issuer, [revocation], null),
  };
  return { logout: createLogout(base, callers, revoke), revoke: revokeParts };
}

/** Null if no provider may send logout tokens. */
function createLogout(
  { keyring, clock }: BaseParts,
  { names, providers, pseudonymIssuer, signatures }: Callers,
  revoke: Revoke,
): LogoutParts | null {
  const sources = providers
    .filter(({ provider }) => provider.logoutAudiences.length > 0)
    .map(({ keys, provider }) => ({
      ...provider,
      keys,
      algorithms: new Set<string>(provider.algorithms),
      claims: { issuers: provider.issuers },
      tokenIssuers: provider.issuers,
    }));
  if (sources.length === 0) return null;
  return {
    open: createOpenDocument(
      sources,
      (claims, { logoutAudiences }, type) =>
        checkLogoutToken(claims, logoutAudiences, type, clock.now() / 1000),
      signatures,
    ),
    revokeSession: createRevokeSession({
      pseudonymOf: createPseudonym(keyring.pseudonym),
      pseudonymIssuer,
      names,
      revoke,
    }),
  };
}
