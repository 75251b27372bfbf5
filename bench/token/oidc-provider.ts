import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { type JWK, Provider } from 'oidc-provider';
import { readGiven } from '../shared/child.ts';

/**
 * oidc-provider with its client-credentials grant. Its access tokens are opaque unless they are for a resource, so
 * one resource is declared and taken by default, with JWTs of the same lifetime and kind as Vestibule's. Clients are
 * in its configuration, everything else is in its own memory.
 */
interface Given {
  readonly port: number;
  readonly audience: string;
  readonly clientId: string;
  readonly clientSecret: string;
}
const { port, audience, clientId, clientSecret } = readGiven<Given>();

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key = { ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' } as JWK;
const lifetimeSeconds = 600;

const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [
    {
      client_id: clientId,
      client_secret: clientSecret,
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
    },
  ],
  jwks: { keys: [key] },
  cookies: { keys: [randomBytes(32).toString('base64url')] },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => audience,
      getResourceServerInfo: () => ({
        audience,
        scope: '',
        accessTokenFormat: 'jwt',
        accessTokenTTL: lifetimeSeconds,
        jwt: { sign: { alg: 'RS256' } },
      }),
    },
  },
});
createServer(provider.callback()).listen(port, '127.0.0.1');
