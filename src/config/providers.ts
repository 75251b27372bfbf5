import type {
  ClaimPath,
  IssuerSettingNames,
  RequiredClaims,
  SignatureAlgorithm,
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
