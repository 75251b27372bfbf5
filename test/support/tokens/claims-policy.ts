import type { ClaimsPolicy } from '../../../src/auth/claims.ts';
import type { KeySource } from '../../../src/auth/jws.ts';
import type { TrustedIssuer } from '../../../src/auth/verifier.ts';
import { usualScopeClaims } from '../../../src/base/provider-rules.ts';

/** The claims that most issuers must have. */
export const usualClaims = {
  audienceClaim: 'aud',
  requiredClaims: {},
  allowsNonce: false,
  scopesFrom: usualScopeClaims,
  dpop: 'off',
  requiredScopes: [],
  maxLifetimeSeconds: null,
  clientsOnly: false,
} as const;

/** An issuer with these keys for RS256. */
export function trustedIssuer(
  keys: KeySource,
  claims: Pick<ClaimsPolicy, 'issuers' | 'audiences'> & Partial<ClaimsPolicy>,
): TrustedIssuer {
  return { keys, algorithms: new Set(['RS256']), requireAtJwt: false, claims: { ...usualClaims, ...claims } };
}

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
