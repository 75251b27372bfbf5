import { canaryClaims } from '../support/faults/canaries.ts';
import { base64url } from '../support/tokens/forged-token.ts';
import { makeKey } from '../support/tokens/provider.ts';
import type { LookalikeProvider } from './lookalike-provider.ts';
import { recipeSuite } from './provider-recipe.ts';

const frontend = '1045732891644-5n3kq0v8bd.apps.googleusercontent.com';

const idToken = ({ settings }: LookalikeProvider) => ({
  iss: settings.IDP_ISSUER,
  azp: frontend,
  aud: frontend,
  sub: canaryClaims.sub,
  email: canaryClaims.email,
  email_verified: true,
  name: canaryClaims.name,
  picture: canaryClaims.picture,
});

await recipeSuite({
  section: 'Google',
  keys: async (key) => [key.jwk, (await makeKey()).jwk],
  tokens: {},
  mistakes: {
    'The access token is sent': {
      token: () => `ya29.a0${base64url('opaque to everybody but Google, and very long')}`,
    },
    'The ID token is sent instead': {
      token: (provider) => provider.sign({ ...idToken(provider), at_hash: 'HK6E_P6Dh8Y93mRNtsDB1Q' }),
    },
    "The ID token of Google's sign-in button is sent instead": {
      token: (provider) => provider.sign({ ...idToken(provider), nbf: provider.now, jti: 'f3b1c9' }),
    },
  },
});
