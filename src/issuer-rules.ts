import type { TrustedIssuer } from './auth/issuers.ts';
import { ownIssuer, providerIssuers } from './config/rules.ts';
import { type Config, signingAlgorithms } from './config/settings.ts';

/** What the settings make of the two issuers whose tokens are taken: the provider, and the service itself. */
type IssuerRules = Omit<TrustedIssuer, 'keys'>;

export function providerRules(config: Config): IssuerRules {
  return {
    algorithms: new Set(config.allowedAlgorithms),
    requireAtJwt: config.requireAtJwt,
    claims: {
      issuers: providerIssuers(config),
      audience: config.apiAudience,
      requiredScopes: config.idpRequiredScopes,
      maxLifetimeSeconds: config.maxTokenLifetimeSeconds,
      clientsOnly: false,
    },
  };
}

export function ownRules(config: Config): IssuerRules {
  return {
    algorithms: new Set(signingAlgorithms),
    requireAtJwt: true,
    claims: {
      issuers: [ownIssuer(config)],
      audience: config.apiAudience,
      requiredScopes: [],
      maxLifetimeSeconds: null,
      clientsOnly: true,
    },
  };
}

/** Where the provider publishes its keys. */
export function providerJwksUrl({ idpOrigin, idpJwksPath }: Config): string {
  return `${idpOrigin}${idpJwksPath}`;
}
