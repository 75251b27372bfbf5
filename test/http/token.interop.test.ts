import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { ClientCredentials } from 'simple-oauth2';
import { surroundings } from '../support/run/surroundings.ts';
import { deployment } from '../support/services/deployment.ts';
import { me } from '../support/services/service.ts';
import {
  addKeyClient,
  type ClientKeys,
  clientAlgorithms,
  makeClientKeys,
} from '../support/tokens/client-keys.ts';
import { addClientWith } from '../support/tokens/oauth-form.ts';
import type { Credentials } from '../support/tokens/token-endpoint.ts';

const scopes = ['--scope', 'read', '--scope', 'write'];
const keyClient = 'key-client';
const run = promisify(execFile);

/** The answer of /me for the caller of a token. */
function assertCaller(body: unknown, id: string, granted: readonly string[]): void {
  const { kind, subject, scopes } = body as Record<string, unknown>;
  assert.deepEqual([kind, subject, scopes], ['client', id, granted]);
}

/** Third-party clients, used as documented, each with its option for plain HTTP on loopback. */
for (const algorithm of ['RS256', 'ES256', 'EdDSA'])
  describe(`third-party clients, and tokens signed with ${algorithm}`, () => {
    let client: Credentials;
    let keys: ClientKeys;
    const running = deployment({
      isAddressed: true,
      settings: { TOKEN_SIGNING_ALG: algorithm },
      prepare: async (settings) => {
        client = await addClientWith(settings, 'secret-client', ...scopes);
        keys = await makeClientKeys();
        await addKeyClient(settings, keyClient, Object.values(keys), ...scopes);
      },
    });
    const address = (path = '') => new URL(`${running().service.url}${path}`);

    describe('openid-client', () => {
      const getAndUse = async (id: string, authentication: openid.ClientAuth) => {
        const execute = [openid.allowInsecureRequests];
        const options = { algorithm: 'oauth2', execute } as const;
        const config = await openid.discovery(address(), id, {}, authentication, options);
        const { access_token, token_type, expires_in, scope } = await openid.clientCredentialsGrant(config, {
          scope: 'read',
        });
        assert.deepEqual([token_type, expires_in, scope], ['bearer', 600, 'read']);
        const reply = await openid.fetchProtectedResource(config, access_token, address(me), 'GET');
        assert.equal(reply.status, 200);
        assertCaller(await reply.json(), id, ['read']);
      };

      it('discovers the endpoint, gets and uses a token by client_secret_basic', () =>
        getAndUse(client.id, openid.ClientSecretBasic(client.secret)));

      it('discovers the endpoint, gets and uses a token by client_secret_post', () =>
        getAndUse(client.id, openid.ClientSecretPost(client.secret)));

      for (const name of clientAlgorithms)
        it(`discovers the endpoint, gets and uses a token by private_key_jwt with a key for ${name}`, () => {
          const { privateKey: key, kid } = keys[name];
          return getAndUse(keyClient, openid.PrivateKeyJwt({ key, kid }));
        });
    });

    describe('oauth4webapi', () => {
      const insecure = { [oauth.allowInsecureRequests]: true } as const;

      const getAndUse = async (id: string, authentication: oauth.ClientAuth) => {
        const found = await oauth.discoveryRequest(address(), { algorithm: 'oauth2', ...insecure });
        const server = await oauth.processDiscoveryResponse(address(), found);
        const self = { client_id: id };
        const answer = await oauth.clientCredentialsGrantRequest(server, self, authentication, {}, insecure);
        const { access_token } = await oauth.processClientCredentialsResponse(server, self, answer);
        const reply = await oauth.protectedResourceRequest(
          access_token,
          'GET',
          address(me),
          undefined,
          undefined,
          insecure,
        );
        assertCaller(await reply.json(), id, ['read', 'write']);
        const incoming = new Request(address(me), { headers: { authorization: `Bearer ${access_token}` } });
        const claims = await oauth.validateJwtAccessToken(server, incoming, surroundings().audience, {
          ...insecure,
          signingAlgorithms: [algorithm],
        });
        assert.deepEqual([claims.sub, claims.client_id, claims.scope], [id, id, 'read write']);
      };

      it('gets, uses and validates a token by client_secret_basic', () =>
        getAndUse(client.id, oauth.ClientSecretBasic(client.secret)));

      it('gets, uses and validates a token by client_secret_post', () =>
        getAndUse(client.id, oauth.ClientSecretPost(client.secret)));

      for (const name of clientAlgorithms)
        it(`gets, uses and validates a token by private_key_jwt with a key for ${name}`, () => {
          const { privateKey: key, kid } = keys[name];
          return getAndUse(keyClient, oauth.PrivateKeyJwt({ key, kid }));
        });
    });

    describe('simple-oauth2', () => {
      for (const authorizationMethod of ['header', 'body'] as const)
        it(`gets and uses a token with its credentials in the ${authorizationMethod}`, async () => {
          const granted = await new ClientCredentials({
            client: { id: client.id, secret: client.secret },
            auth: { tokenHost: address().origin, tokenPath: '/token' },
            options: { authorizationMethod },
          }).getToken({ scope: ['read', 'write'] });
          assert.equal(granted.expired(), false);
          const { token_type, access_token } = granted.token;
          const headers = { authorization: `${token_type} ${access_token}` };
          assertCaller(await (await fetch(address(me), { headers })).json(), client.id, ['read', 'write']);
        });
    });

    describe('curl', () => {
      const curl = async (...parameters: string[]) => {
        const options = { env: { PATH: process.env.PATH }, timeout: 30_000 };
        const quiet = ['-q', '--silent', '--show-error', '--fail', '--noproxy', '*'];
        return JSON.parse((await run('curl', [...quiet, ...parameters], options)).stdout);
      };

      it('gets a token with a form and HTTP Basic, and uses it', async () => {
        const given = ['--user', `${client.id}:${client.secret}`, '--data', 'grant_type=client_credentials'];
        const { access_token } = await curl(...given, `${address('/token')}`);
        const bearer = ['--header', `authorization: Bearer ${access_token}`];
        assertCaller(await curl(...bearer, `${address(me)}`), client.id, ['read', 'write']);
      });

      it('gets a token with the JSON body of the specification, and uses it', async () => {
        const body = JSON.stringify({ client_id: client.id, client_secret: client.secret });
        const given = ['--header', 'content-type: application/json', '--data', body];
        const { token } = await curl(...given, `${address('/token')}`);
        const bearer = ['--header', `authorization: Bearer ${token}`, '--header', 'accept: application/json'];
        assertCaller(await curl(...bearer, `${address(me)}`), client.id, ['read', 'write']);
      });
    });
  });
