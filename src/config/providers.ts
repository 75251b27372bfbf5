import {
  type ClaimPath,
  type IssuerSettingNames,
  type RequiredClaims,
  type SignatureAlgorithm,
  usualScopeClaims,
} from '../base/provider-rules.ts';

export interface Provider {
  /** The name for operators: in metrics, in the log, in the output of commands. */
  readonly name: string;
  /** The name for people who choose where to sign in. */
  readonly title: string;
  readonly origin: string;
  readonly jwksUrl: string;
  /** The accepted values of `iss`. */
  readonly issuers: readonly [string, ...string[]];
  /** If not null, pseudonyms are computed with this issuer instead. */
  readonly formerIssuer: string | null;
  readonly audiences: readonly string[];
  /** The claim that must name one of `audiences`. */
  readonly audienceClaim: string;
  readonly requiredClaims: RequiredClaims;
  /** True if its access tokens carry the `nonce` of the sign-in, which other providers put only into ID tokens. */
  readonly allowsNonce: boolean;
  readonly algorithms: readonly SignatureAlgorithm[];
  readonly requiredScopes: readonly string[];
  /** The claims that grant scopes, each as a path of names. */
  readonly scopesFrom: readonly ClaimPath[];
  readonly requireAtJwt: boolean;
  readonly maxTokenLifetimeSeconds: number | null;
  /** The client id of the reference frontend at this provider; null if there is no sign-in. */
  readonly webClientId: string | null;
  /** The accepted audiences of its logout tokens; empty if logout tokens are not accepted. */
  readonly logoutAudiences: readonly string[];
  /** The names that a mistake in one of these refers to. */
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

/** The issuers that the pseudonyms of this provider's users are computed with. */
export function pseudonymIssuers({
  issuers,
  formerIssuer,
}: Pick<Provider, 'issuers' | 'formerIssuer'>): readonly string[] {
  return formerIssuer === null ? issuers : [formerIssuer];
}

/** Maps the `iss` of a token to the issuer for pseudonyms. */
export function createPseudonymIssuer(providers: readonly Provider[]): (issuer: string) => string {
  const former = new Map(
    providers.flatMap(({ issuers, formerIssuer }) =>
      formerIssuer === null ? [] : issuers.map((issuer) => [issuer, formerIssuer] as const),
    ),
  );
  return (issuer) => former.get(issuer) ?? issuer;
}

/** The audience of a logout token is the client that the user signed out of: by default the reference frontend. */
export function logoutAudiencesOf(
  stated: readonly string[],
  webClientId: string | null,
): Provider['logoutAudiences'] {
  return stated.length > 0 || webClientId === null ? stated : [webClientId];
}
