/** What the settings say of a provider, in the words that those who act upon it have as well. */

/** Claims that must have exactly this text, or with `true` must be there. */
export type RequiredClaims = Readonly<Record<string, string | true>>;

/** From the payload of a token inwards: `realm_access`, then `roles`. */
export type ClaimPath = readonly [string, ...string[]];

/** Where most providers put scopes: `scope`, one text (RFC 9068), or `scp`, a text at Entra and a list at Okta. */
export const usualScopeClaims: readonly ClaimPath[] = [['scope'], ['scp']];

/** Where a provider answers questions about its tokens, and as whom it knows us there. */
export interface IntrospectionEndpoint {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What an operator changes about an issuer: settings, or members of an entry. */
export interface IssuerSettingNames {
  readonly origin: string;
  readonly issuer: string;
  readonly audience: string;
  readonly algorithms: string;
  readonly requiredScopes: string;
  readonly requireAtJwt: string;
  readonly maxLifetime: string;
}
