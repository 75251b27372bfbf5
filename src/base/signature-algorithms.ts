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
