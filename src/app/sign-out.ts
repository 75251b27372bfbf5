import { createOpenDocument } from '../auth/provider-document.ts';
import { createVerifier } from '../auth/verifier.ts';
import type { Input } from '../base/handler.ts';
import { createPseudonymIssuer } from '../config/providers.ts';
import { ownIssuer } from '../config/rules.ts';
import { createPseudonym } from '../consumer/pseudonym.ts';
import { RevocationShares } from '../consumer/revocation-shares.ts';
import type { LogoutParts } from '../consumer/sign-out/logout.ts';
import { checkLogoutToken } from '../consumer/sign-out/logout-token.ts';
import { createRevokeSession } from '../consumer/sign-out/revoke-session.ts';
import { ownRules } from '../issuer-rules.ts';
import type { RevokeParts } from '../tokens/revoke.ts';
import type { SigningKeys } from '../tokens/signing-keys.ts';
import type { BaseParts } from './base-parts.ts';
import type { Callers } from './callers.ts';

/** The ways to revoke tokens: logout tokens of providers, and POST /revoke for tokens of our own. */
export function createSignOut(base: BaseParts, callers: Callers, signingKeys: SigningKeys) {
  const { config, storage, keyring, metrics, clock } = base;
  const { names, signatures } = callers;
  const pseudonymOf = createPseudonym(keyring.pseudonym);
  const verify = createVerifier([{ ...ownRules(config), keys: signingKeys }], clock, signatures);
  const revoke: Omit<RevokeParts, 'recognise' | 'throttle'> = {
    verifyOwn: async (token: string, input: Input) => (await verify(token, input)).claims,
    notedAs(token) {
      const client = pseudonymOf(token);
      return {
        name: names.token(token.tokenId),
        coveredBy: client === null ? null : names.caller(client),
      };
    },
    store: storage.standing,
    onRevoked: metrics.countSignOut,
  };
  return { logout: createLogout(base, callers), revoke };
}

/** Null where no provider may send logout tokens. */
function createLogout(base: BaseParts, { names, providers, signatures }: Callers): LogoutParts | null {
  const { config, storage, keyring, metrics, clock } = base;
  const sources = config.providers.flatMap((provider) => {
    const { name, issuers, algorithms, logoutAudiences, maxTokenLifetimeSeconds } = provider;
    const keys = providers.find((one) => one.name === name)?.keys;
    if (logoutAudiences.length === 0 || keys === undefined) return [];
    return [
      {
        name,
        maxTokenLifetimeSeconds,
        keys,
        algorithms: new Set<string>(algorithms),
        claims: { issuers },
        logoutAudiences,
        tokenIssuers: issuers,
      },
    ];
  });
  if (sources.length === 0) return null;
  const pseudonymOf = createPseudonym(keyring.pseudonym);
  return {
    open: createOpenDocument(
      sources,
      (claims, { logoutAudiences }, type) =>
        checkLogoutToken(claims, logoutAudiences, type, clock.now() / 1000),
      signatures,
    ),
    revokeSession: createRevokeSession({
      pseudonymOf,
      pseudonymIssuer: createPseudonymIssuer(config.providers),
      names,
      store: storage.standing,
    }),
    onRevoked: metrics.countSignOut,
  };
}

/** How many tokens each provider and each client may take back one by one. */
export function createRevocationShares({ config, storage, keyring, log }: BaseParts, callers: Callers) {
  const { names, standing } = callers;
  const pseudonymOf = createPseudonym(keyring.pseudonym);
  const isOf = (coveredBy: string, clientId: string) => {
    const pseudonym = pseudonymOf({ issuer: ownIssuer(config), subject: clientId });
    return pseudonym !== null && names.caller(pseudonym) === coveredBy;
  };
  const describe = async (coveredBy: string) => {
    const provider = config.providers.find(({ issuers }) =>
      issuers.some((issuer) => names.issuer(issuer) === coveredBy),
    );
    if (provider !== undefined) return { provider: provider.name };
    const client = (await storage.clients.list()).find(({ id }) => isOf(coveredBy, id));
    return client === undefined ? {} : { client_id: client.id };
  };
  return new RevocationShares({ standing, store: storage.standing, describe, log });
}
