import type { TrustedIssuer } from '../auth/verifier.ts';
import type { Provider } from '../config/providers.ts';
import { ownIssuer } from '../config/rules.ts';
import { type Config, signingAlgorithms } from '../config/settings.ts';

type IssuerRules = Omit<TrustedIssuer, 'keys'>;

export function rulesOf(provider: Provider, { dpop }: Pick<Config, 'dpop'>): IssuerRules {
  return {
    algorithms: new Set(provider.algorithms),
    requireAtJwt: provider.requireAtJwt,
    claims: {
      ...provider,
      maxLifetimeSeconds: provider.maxTokenLifetimeSeconds,
      clientsOnly: false,
      dpop: dpop.policy,
    },
  };
}

export function ownRules(config: Config): IssuerRules {
  return {
    algorithms: new Set(signingAlgorithms),
    requireAtJwt: true,
    claims: {
      issuers: [ownIssuer(config)],
      audiences: [config.apiAudience],
      audienceClaim: 'aud',
      requiredClaims: {},
      allowsNonce: false,
      requiredScopes: [],
      scopesFrom: [['scope']],
      maxLifetimeSeconds: null,
      clientsOnly: true,
      dpop: config.dpop.policy,
    },
  };
}
