import { randomUUID } from 'node:crypto';
import { canaryClaims } from '../support/faults/canaries.ts';
import { certificateOf } from '../support/tokens/certificate.ts';
import { base64url, split } from '../support/tokens/forged-token.ts';
import type { ProviderKey } from '../support/tokens/provider.ts';
import type { LookalikeProvider } from './lookalike-provider.ts';
import { recipeSuite } from './provider-recipe.ts';

const tenantOf = ({ settings }: LookalikeProvider) => String(settings.IDP_JWKS_PATH?.split('/')[1]);
const apiOf = ({ settings }: LookalikeProvider) => String(settings.API_AUDIENCE?.replace('api://', ''));
const frontend = '5b60f1a9-e8d3-4c27-8f94-31a7c5d2b06e';
const graph = '00000003-0000-0000-c000-000000000000';

const commonClaims = (provider: LookalikeProvider) => ({
  iat: provider.now,
  nbf: provider.now,
  aio: 'AXQAi/8TAAAA',
  name: canaryClaims.name,
  oid: randomUUID(),
  rh: '0.AXQA',
  scp: 'access',
  sub: canaryClaims.sub,
  tid: tenantOf(provider),
  uti: 'GQGl3VhF9Uq1AA',
});

const version1 = (provider: LookalikeProvider) => ({
  ...commonClaims(provider),
  aud: `api://${apiOf(provider)}`,
  iss: `https://sts.windows.net/${tenantOf(provider)}/`,
  acr: '1',
  amr: ['pwd'],
  appid: frontend,
  appidacr: '0',
  unique_name: canaryClaims.email,
  ver: '1.0',
});

const version2 = (provider: LookalikeProvider) => ({
  ...commonClaims(provider),
  aud: apiOf(provider),
  iss: `${provider.origin}/${tenantOf(provider)}/v2.0`,
  azp: frontend,
  azpacr: '0',
  preferred_username: canaryClaims.email,
  ver: '2.0',
});

const sign1 = (provider: LookalikeProvider, changes: object = {}) =>
  provider.sign({ ...version1(provider), ...changes }, { x5t: provider.key.kid });
const sign2 = (provider: LookalikeProvider, changes: object = {}) =>
  provider.sign({ ...version2(provider), ...changes });

/** The nonce in its header is another one than the one that was signed: only Graph knows how to undo that. */
async function graphToken(provider: LookalikeProvider): Promise<string> {
  const [, payload, signature] = split(await sign1(provider, { aud: graph, scp: 'openid profile' }));
  const { kid } = provider.key;
  const header = base64url({ typ: 'JWT', nonce: 'mTDnQ0', alg: 'RS256', x5t: kid, kid });
  return [header, payload, signature].join('.');
}

/** Without the algorithm that they are for. */
async function keys(key: ProviderKey) {
  const { alg: _, ...jwk } = key.jwk;
  const certificate = await certificateOf(key);
  return [{ ...jwk, x5t: key.kid, x5c: [certificate.raw.toString('base64')] }];
}

await recipeSuite({
  section: 'Microsoft Entra',
  keys,
  tokens: { 'a person': { kind: 'user', make: (provider) => sign2(provider) } },
  mistakes: {
    'The API still has version 1 tokens': { token: (provider) => sign1(provider) },
    '`API_AUDIENCE` is the address with `api://`': {
      settings: (provider) => ({ API_AUDIENCE: `api://${apiOf(provider)}` }),
    },
    'The frontend asks for no scope of the API': { token: graphToken },
    '`common` or `organizations` in the place of the tenant': {
      settings: ({ origin }) => ({ IDP_ISSUER: `${origin}/common/v2.0` }),
    },
    '`IDP_REQUIRED_SCOPES` names the scope as it is asked for, with `api://`': {
      settings: (provider) => ({ IDP_REQUIRED_SCOPES: `api://${apiOf(provider)}/access` }),
    },
    '`REQUIRE_AT_JWT` is on': { settings: () => ({ REQUIRE_AT_JWT: 'true' }) },
    'The ID token is sent': {
      token: (provider) =>
        sign2(provider, { aud: frontend, azp: undefined, scp: undefined, nonce: randomUUID() }),
    },
  },
});

await recipeSuite({
  section: 'Microsoft Entra, version 1 tokens',
  keys,
  tokens: { 'a person': { kind: 'user', make: (provider) => sign1(provider) } },
  mistakes: {
    '`IDP_ISSUER` without the slash at its end': {
      settings: ({ settings }) => ({ IDP_ISSUER: settings.IDP_ISSUER?.slice(0, -1) }),
    },
    'The API has version 2 tokens': { token: (provider) => sign2(provider) },
    '`API_AUDIENCE` is the client id, and the token was asked for with `api://`': {
      settings: (provider) => ({ API_AUDIENCE: apiOf(provider) }),
    },
    'The token is for Microsoft Graph': { token: graphToken },
  },
});
