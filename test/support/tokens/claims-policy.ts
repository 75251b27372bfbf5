import { usualScopeClaims } from '../../../src/base/provider-rules.ts';

/** What the rules of most issuers have in common. */
export const usualClaims = {
  audienceClaim: 'aud',
  requiredClaims: {},
  allowsNonce: false,
  scopesFrom: usualScopeClaims,
  dpop: 'off',
} as const;

/** What the one provider of IDP_ORIGIN is set by. */
export const settingNames = {
  origin: 'IDP_ORIGIN',
  issuer: 'IDP_ISSUER',
  audience: 'API_AUDIENCE',
  algorithms: 'ALLOWED_ALGORITHMS',
  requiredScopes: 'IDP_REQUIRED_SCOPES',
  requireAtJwt: 'REQUIRE_AT_JWT',
  maxLifetime: 'MAX_TOKEN_LIFETIME_SECONDS',
};
