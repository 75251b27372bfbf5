/** Claims that must have exactly this text or, with `true`, must be present. */
export type RequiredClaims = Readonly<Record<string, string | true>>;

/** A path into the payload of a token, such as `realm_access`, `roles`. */
export type ClaimPath = readonly [string, ...string[]];

/** `scope` is a text (RFC 9068); `scp` is a text at Entra and a list at Okta. */
export const usualScopeClaims: readonly ClaimPath[] = [['scope'], ['scp']];

/** The names of an issuer's settings, or of the members of its entry. */
export interface IssuerSettingNames {
  readonly origin: string;
  readonly issuer: string;
  readonly audience: string;
  readonly algorithms: string;
  readonly requiredScopes: string;
  readonly requireAtJwt: string;
  readonly maxLifetime: string;
}

/** Asymmetric only: a shared secret that verifies can also forge. */
export const signatureAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

export type SignatureAlgorithm = (typeof signatureAlgorithms)[number];
