import {
  type ClaimPath,
  type IntrospectionEndpoint,
  type IssuerSettingNames,
  type RequiredClaims,
  usualScopeClaims,
} from '../base/provider-rules.ts';
import type { SignatureAlgorithm } from '../base/signature-algorithms.ts';

export interface Provider {
  /** For the operator: in metrics, in the log, in what commands print. */
  readonly name: string;
  /** For people who choose where to sign in. */
  readonly title: string;
  readonly origin: string;
  readonly jwksUrl: string;
  /** The exact values of `iss`. */
  readonly issuers: readonly [string, ...string[]];
  /** Pseudonyms are computed with this issuer instead, where it is not null. */
  readonly formerIssuer: string | null;
  readonly audiences: readonly string[];
  /** The claim that must name one of `audiences`. */
  readonly audienceClaim: string;
  readonly requiredClaims: RequiredClaims;
  /** Its access tokens carry the `nonce` of the sign-in, which elsewhere only ID tokens do. */
  readonly allowsNonce: boolean;
  readonly algorithms: readonly SignatureAlgorithm[];
  readonly requiredScopes: readonly string[];
  /** The claims that grant scopes, each by the names that lead to it. */
  readonly scopesFrom: readonly ClaimPath[];
  readonly requireAtJwt: boolean;
  readonly maxTokenLifetimeSeconds: number | null;
  /** Under which id the reference frontend is registered there; null where it cannot be signed in at. */
  readonly webClientId: string | null;
  /** For whom its logout tokens may be; none: they are not taken. */
  readonly logoutAudiences: readonly string[];
  /** Where it is asked about tokens that are no JWTs (RFC 7662); null where those are refused. */
  readonly introspection: IntrospectionEndpoint | null;
  /** What a mistake in one of these is to be repaired in. */
  readonly settings: IssuerSettingNames & { readonly jwksPath: string; readonly formerIssuer: string };
}

export type Providers = readonly [Provider, ...Provider[]];

interface ProviderConfig {
  readonly idpOrigin: string | null;
  readonly idpIssuer: string | null;
  readonly idpFormerIssuer: string | null;
  readonly idpJwksPath: string;
  readonly apiAudience: string;
  readonly allowedAlgorithms: Provider['algorithms'];
  readonly idpRequiredScopes: readonly string[];
  readonly requireAtJwt: boolean;
  readonly maxTokenLifetimeSeconds: number | null;
  readonly webClientId: string | null;
}

export function onlyProvider(config: ProviderConfig): Provider {
  const origin = config.idpOrigin ?? '';
  return {
    name: 'provider',
    title: new URL(origin).host,
    origin,
    jwksUrl: `${origin}${config.idpJwksPath}`,
    issuers: issuersOf(origin, config.idpIssuer),
    formerIssuer: config.idpFormerIssuer,
    audiences: [config.apiAudience],
    audienceClaim: 'aud',
    requiredClaims: {},
    allowsNonce: false,
    algorithms: config.allowedAlgorithms,
    requiredScopes: config.idpRequiredScopes,
    scopesFrom: usualScopeClaims,
    requireAtJwt: config.requireAtJwt,
    maxTokenLifetimeSeconds: config.maxTokenLifetimeSeconds,
    webClientId: config.webClientId,
    logoutAudiences: logoutAudiencesOf([], config.webClientId),
    introspection: null,
    settings: {
      origin: 'IDP_ORIGIN',
      issuer: 'IDP_ISSUER',
      formerIssuer: 'IDP_FORMER_ISSUER',
      jwksPath: 'IDP_JWKS_PATH',
      audience: 'API_AUDIENCE',
      algorithms: 'ALLOWED_ALGORITHMS',
      requiredScopes: 'IDP_REQUIRED_SCOPES',
      requireAtJwt: 'REQUIRE_AT_JWT',
      maxLifetime: 'MAX_TOKEN_LIFETIME_SECONDS',
    },
  };
}

/** The exact values of `iss` that tokens may carry. Auth0 issues the origin with a trailing slash. */
export function issuersOf(origin: string, issuer: string | null): Provider['issuers'] {
  return issuer === null ? [origin, `${origin}/`] : [issuer];
}

/** The issuers that the pseudonyms of a provider's people are computed with. */
export function pseudonymIssuers({
  issuers,
  formerIssuer,
}: Pick<Provider, 'issuers' | 'formerIssuer'>): readonly string[] {
  return formerIssuer === null ? issuers : [formerIssuer];
}

/** Gives the issuer for pseudonyms by the `iss` of a token. */
export function createPseudonymIssuer(providers: readonly Provider[]): (issuer: string) => string {
  const former = new Map(
    providers.flatMap(({ issuers, formerIssuer }) =>
      formerIssuer === null ? [] : issuers.map((issuer) => [issuer, formerIssuer] as const),
    ),
  );
  return (issuer) => former.get(issuer) ?? issuer;
}

/** A logout token is for the client of whoever has signed out there: by default the reference frontend. */
export function logoutAudiencesOf(
  stated: readonly string[],
  webClientId: string | null,
): Provider['logoutAudiences'] {
  return stated.length > 0 || webClientId === null ? stated : [webClientId];
}
