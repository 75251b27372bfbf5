import { randomUUID } from 'node:crypto';
import { canaryClaims } from '../support/faults/canaries.ts';
import { certificateOf } from '../support/tokens/certificate.ts';
import { base64url, compact, hmac } from '../support/tokens/forged-token.ts';
import type { LookalikeProvider } from './lookalike-provider.ts';
import { recipeSuite } from './provider-recipe.ts';

const claimsOf = ({ settings }: LookalikeProvider) => ({
  iss: settings.IDP_ISSUER,
  sub: canaryClaims.sub,
  aud: [settings.API_AUDIENCE, `${settings.IDP_ISSUER}userinfo`],
  scope: 'openid profile',
  azp: settings.WEB_CLIENT_ID,
  permissions: [],
});

await recipeSuite({
  section: 'Auth0',
  async keys(key) {
    const certificate = await certificateOf(key);
    const x5t = base64url(Buffer.from(certificate.fingerprint.replaceAll(':', ''), 'hex'));
    return [{ ...key.jwk, x5t, x5c: [certificate.raw.toString('base64')] }];
  },
  tokens: {
    'a person, in the profile of Auth0': {
      kind: 'user',
      make: (provider) => provider.sign(claimsOf(provider)),
    },
    'a person, in the profile of RFC 9068': {
      kind: 'user',
      make: (provider) => {
        const { azp, ...claims } = claimsOf(provider);
        return provider.sign({ ...claims, client_id: azp, jti: randomUUID() }, { typ: 'at+jwt' });
      },
    },
    'a machine': {
      kind: 'client',
      make: (provider) =>
        provider.sign({
          ...claimsOf(provider),
          sub: `${provider.settings.WEB_CLIENT_ID}@clients`,
          aud: provider.settings.API_AUDIENCE,
          gty: 'client-credentials',
        }),
    },
  },
  mistakes: {
    '`IDP_ISSUER` without the slash at its end': { settings: ({ origin }) => ({ IDP_ISSUER: origin }) },
    'The frontend asks for no `audience`': {
      token: ({ settings }) => {
        const header = base64url({ alg: 'dir', enc: 'A256GCM', iss: settings.IDP_ISSUER });
        return [header, '', ...['iv', 'encrypted', 'tag'].map(base64url)].join('.');
      },
    },
    'The ID token is sent': {
      token: ({ settings, sign }) =>
        sign({ ...canaryClaims, iss: settings.IDP_ISSUER, aud: settings.WEB_CLIENT_ID, nonce: randomUUID() }),
    },
    '`API_AUDIENCE` is not the identifier of the API, exactly': {
      settings: ({ settings }) => ({ API_AUDIENCE: `${settings.API_AUDIENCE}/` }),
    },
    'The API signs with HS256': {
      token: (provider) => {
        const claims = { ...claimsOf(provider), iat: provider.now, exp: provider.now + 600 };
        return compact({ alg: 'HS256', typ: 'JWT' }, claims, hmac('sha256', 'the secret of the API'));
      },
    },
    'People sign in at a custom domain': {
      token: (provider) => provider.sign({ ...claimsOf(provider), iss: 'https://login.example.org/' }),
    },
  },
});
