import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { canaryClaims } from '../support/faults/canaries.ts';
import type { LookalikeProvider } from './lookalike-provider.ts';
import { recipeSuite } from './provider-recipe.ts';

const claimsOf = ({ settings }: LookalikeProvider) => ({
  iss: settings.IDP_ISSUER,
  sub: canaryClaims.sub,
  aud: settings.API_AUDIENCE,
  client_id: settings.WEB_CLIENT_ID,
  jti: randomUUID(),
  scope: 'openid profile',
});
const sign = (provider: LookalikeProvider, changes: object = {}, typ = 'at+jwt') =>
  provider.sign({ ...claimsOf(provider), ...changes }, { typ });

const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

await recipeSuite({
  section: 'Any other OpenID provider',
  tokens: {
    'a person': { kind: 'user', make: (provider) => sign(provider) },
    'a machine': {
      kind: 'client',
      make: (provider) => sign(provider, { sub: provider.settings.WEB_CLIENT_ID }),
    },
  },
  mistakes: {
    'Access tokens are opaque': { token: () => randomUUID() },
    '`IDP_ISSUER` is not `issuer`, exactly': {
      settings: ({ settings }) => ({ IDP_ISSUER: `${settings.IDP_ISSUER}/` }),
    },
    '`IDP_ORIGIN` and `IDP_JWKS_PATH` are not `jwks_uri`': {
      settings: () => ({ IDP_JWKS_PATH: '/.well-known/jwks.json' }),
    },
    'Tokens have no audience': { token: (provider) => sign(provider, { aud: undefined }) },
    'The provider signs with another algorithm': {
      token: (provider) => {
        const curved = { ...provider.key, privateKey: curve };
        return provider.sign(claimsOf(provider), { alg: 'ES256', typ: 'at+jwt' }, curved);
      },
    },
    'Its clock is ahead by more than five seconds': {
      // By so much that a slow machine does not catch up.
      token: (provider) => sign(provider, { iat: provider.now + 500 }),
    },
    'Tokens never expire': { token: (provider) => sign(provider, { exp: undefined }) },
    'Groups or roles make the token longer than 8192 bytes': {
      token: (provider) => sign(provider, { groups: Array.from({ length: 200 }, () => randomUUID()) }),
    },
    'Scopes are a list, and `IDP_REQUIRED_SCOPES` is set': {
      settings: () => ({ IDP_REQUIRED_SCOPES: 'profile' }),
      token: (provider) => sign(provider, { scope: ['openid', 'profile'] }),
    },
    '`typ` says something else than `JWT` or `at+jwt`': {
      token: (provider) => sign(provider, {}, 'logout+jwt'),
    },
  },
});
