import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { canaryClaims } from '../support/faults/canaries.ts';
import { certificateOf } from '../support/tokens/certificate.ts';
import { compact, hmac } from '../support/tokens/forged-token.ts';
import { makeKey } from '../support/tokens/provider.ts';
import type { LookalikeProvider } from './lookalike-provider.ts';
import { recipeSuite } from './provider-recipe.ts';

const claimsOf = ({ settings, now }: LookalikeProvider) => ({
  ...canaryClaims,
  iss: settings.IDP_ISSUER,
  aud: [settings.API_AUDIENCE, 'account'],
  typ: 'Bearer',
  azp: settings.WEB_CLIENT_ID,
  jti: `onrtac:${randomUUID()}`,
  auth_time: now,
  sid: randomUUID(),
  acr: '1',
  'allowed-origins': ['https://api.example.org'],
  realm_access: { roles: ['offline_access', 'uma_authorization'] },
  scope: 'openid profile email',
  email_verified: true,
});

const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

await recipeSuite({
  section: 'Keycloak',
  async keys(key) {
    const certificate = await certificateOf(key);
    const encryption = await makeKey();
    return [
      { ...key.jwk, x5c: [certificate.raw.toString('base64')] },
      { ...encryption.jwk, use: 'enc', alg: 'RSA-OAEP' },
    ];
  },
  tokens: {
    'a person': { kind: 'user', make: (provider) => provider.sign(claimsOf(provider)) },
    // Old versions put a nonce into access tokens and a single audience into a string.
    'a person at an old Keycloak': {
      kind: 'user',
      make: (provider) =>
        provider.sign({ ...claimsOf(provider), nonce: randomUUID(), aud: provider.settings.API_AUDIENCE }),
    },
    // docs/providers.md warns of it: such a token identifies no person, so it opens /me only.
    'a person without "sub", as a client without an id': {
      kind: 'client',
      make: (provider) => provider.sign({ ...claimsOf(provider), sub: undefined }),
    },
  },
  mistakes: {
    'No audience mapper': { token: (provider) => provider.sign({ ...claimsOf(provider), aud: 'account' }) },
    '`IDP_ISSUER` without the realm': { settings: ({ origin }) => ({ IDP_ISSUER: origin }) },
    '`IDP_JWKS_PATH` left at its default': { settings: () => ({ IDP_JWKS_PATH: undefined }) },
    'The frontend and the service know Keycloak by two addresses': {
      token: (provider) => provider.sign({ ...claimsOf(provider), iss: 'http://keycloak:8080/realms/main' }),
    },
    'The realm signs with ES256': {
      token: (provider) =>
        provider.sign(claimsOf(provider), { alg: 'ES256' }, { ...provider.key, privateKey: curve }),
    },
    'The ID token is sent': {
      token: (provider) =>
        provider.sign({
          ...claimsOf(provider),
          typ: 'ID',
          aud: provider.settings.WEB_CLIENT_ID,
          at_hash: 'MTIzNDU2Nzg5MGFiY2RlZg',
          nonce: randomUUID(),
        }),
    },
    'The refresh token is sent': {
      token: (provider) => {
        const { iss, sub, azp, scope, sid } = claimsOf(provider);
        const claims = { iss, aud: iss, sub, azp, scope, sid, typ: 'Refresh', exp: provider.now + 1800 };
        const header = { alg: 'HS512', typ: 'JWT', kid: randomUUID() };
        return compact(header, claims, hmac('sha512', 'of the realm'));
      },
    },
  },
});
