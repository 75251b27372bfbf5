import type { Problem } from '../api/client.ts';

interface Explained {
  readonly heading: string;
  readonly advice: string;
}

/** Why the service refuses a token, for the developer who looks at one. People read other sentences: see words/. */
const words: Readonly<Record<string, Explained>> = {
  token_expired: {
    heading: 'The token has expired',
    advice: 'The page fetches a new one when it needs one.',
  },
  token_malformed: {
    heading: 'The token is not a JWT',
    advice:
      'The provider issued an opaque token. Many providers do so when the audience is missing or wrong: check API_AUDIENCE.',
  },
  audience_mismatch: {
    heading: 'The token is for another API',
    advice: 'Its "aud" is not the audience of this API. Compare it with API_AUDIENCE.',
  },
  issuer_mismatch: {
    heading: 'The token is from another issuer',
    advice: 'Its "iss" is not exactly an issuer that this service trusts. Compare it with IDP_ISSUER.',
  },
  key_unknown: {
    heading: 'The signing key of the token is unknown',
    advice:
      'The provider does not publish this key at the address that the service reads. Check IDP_JWKS_PATH.',
  },
  token_bound: {
    heading: 'The token is bound to a key',
    advice: 'The request came without a proof made with that key.',
  },
  proof_invalid: {
    heading: 'The proof for the token is not valid',
    advice:
      'Check that the clock of this machine is right, and that the page is open at the address of the service (BASE_URL).',
  },
  keys_unavailable: {
    heading: 'No token can be verified at the moment',
    advice: 'The service cannot fetch the keys of the provider. Try again in a moment.',
  },
  insufficient_scope: {
    heading: 'The token does not allow that',
    advice: 'The token lacks a scope that is needed here. Sign out, sign in again and allow it.',
  },
};

export function tokenWords({ code, title }: Problem): Explained {
  return words[code] ?? { heading: code, advice: title };
}
