import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ResourceServer } from 'oidc-provider';
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js';
import { Provider } from 'oidc-provider/lib/provider.js';
import { createSigningKey } from '../../src/cli/dev/configuration.ts';
import { audience } from './surroundings.ts';

const lifetimeSeconds = 600;
/** With all that has to be encoded before it is sent as HTTP Basic authentication. */
const resourceServer = { id: 'api: 100% & more', secret: `s:+%/ ${randomUUID()}` };
const frontend = 'frontend';
const program = { id: 'program', secret: randomUUID() };

/** A certified provider (oidc-provider) with opaque access tokens and introspection. */
export async function startOpaqueProvider() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const api: ResourceServer = {
    audience,
    scope: 'consumer',
    accessTokenFormat: 'opaque',
    accessTokenTTL: lifetimeSeconds,
  };
  const confidential = {
    token_endpoint_auth_method: 'client_secret_basic' as const,
    response_types: [],
    redirect_uris: [],
  };
  const provider = new Provider(origin, {
    adapter: createMemoryAdapter(),
    jwks: { keys: [await createSigningKey()] },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    clients: [
      {
        ...confidential,
        client_id: resourceServer.id,
        client_secret: resourceServer.secret,
        grant_types: [],
      },
      {
        ...confidential,
        client_id: program.id,
        client_secret: program.secret,
        grant_types: ['client_credentials'],
      },
      {
        client_id: frontend,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: ['http://127.0.0.1:9/'],
      },
    ],
    findAccount: (_ctx, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
    ttl: {
      AccessToken: lifetimeSeconds,
      ClientCredentials: lifetimeSeconds,
      RefreshToken: 3600,
      Grant: 3600,
    },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: {
        enabled: true,
        allowedPolicy: (_ctx, client) => client.clientId === resourceServer.id,
      },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        getResourceServerInfo: () => api,
      },
    },
  });
  server.on('request', provider.callback());

  const granted = async (accountId: string) => {
    const client = await provider.Client.find(frontend);
    if (client === undefined) throw new Error('The provider does not know its own client.');
    const grant = new provider.Grant({ accountId, clientId: frontend });
    grant.addResourceScope(audience, 'consumer');
    const grantId = await grant.save();
    return { client, accountId, grantId, gty: 'authorization_code', scope: 'consumer' };
  };
  return {
    origin,
    introspection: {
      url: `${origin}/token/introspection`,
      clientId: resourceServer.id,
      clientSecret: resourceServer.secret,
    },
    async userToken(accountId: string): Promise<string> {
      const resource = new provider.ResourceServer(audience, api);
      return new provider.AccessToken({ ...(await granted(accountId)), resourceServer: resource }).save();
    },
    async refreshToken(accountId: string): Promise<string> {
      return new provider.RefreshToken({ ...(await granted(accountId)), resource: audience }).save();
    },
    /** By the client-credentials grant, as a program asks for it. */
    async programToken(): Promise<string> {
      const response = await fetch(`${origin}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${program.id}:${program.secret}`)}` },
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          resource: audience,
          scope: 'consumer',
        }),
      });
      return String(((await response.json()) as { access_token?: unknown }).access_token);
    },
    /** Revokes a token of the frontend (RFC 7009). */
    async revoke(token: string): Promise<void> {
      await fetch(`${origin}/token/revocation`, {
        method: 'POST',
        body: new URLSearchParams({ client_id: frontend, token }),
      });
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
