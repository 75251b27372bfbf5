import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as oauth from 'oauth4webapi';
import { type Reply, request, withToken } from '../support/http/request.ts';
import { deployment } from '../support/services/deployment.ts';
import { me } from '../support/services/service.ts';

const serverPath = '/.well-known/oauth-authorization-server';
const resourcePath = '/.well-known/oauth-protected-resource';
const frontend = 'https://app.example';

/** The signature algorithms of DPoP proofs (RFC 9449 section 5.1, RFC 9728 section 2). */
const proofAlgorithms = ['ES256', 'EdDSA', 'Ed25519', 'PS256', 'RS256'];

/** The RFC 8414 document of a service at this address. */
const serverDocument = (issuer: string) => ({
  issuer,
  token_endpoint: `${issuer}/token`,
  revocation_endpoint: `${issuer}/revoke`,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
  grant_types_supported: ['client_credentials'],
  response_types_supported: [],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
  revocation_endpoint_auth_methods_supported: [
    'client_secret_basic',
    'client_secret_post',
    'private_key_jwt',
  ],
  dpop_signing_alg_values_supported: proofAlgorithms,
});

/** Compares everything except the algorithms, which may grow and are checked apart. */
function assertServerDocument(reply: Reply, issuer: string): void {
  assert.equal(reply.status, 200, reply.text);
  const {
    token_endpoint_auth_signing_alg_values_supported: algorithms,
    revocation_endpoint_auth_signing_alg_values_supported: same,
    ...rest
  } = reply.json();
  assert.deepEqual(same, algorithms);
  assert.deepEqual(rest, serverDocument(issuer));
  assert.ok(Array.isArray(algorithms) && new Set(algorithms).size === algorithms.length);
  for (const name of ['RS256', 'PS256', 'ES256', 'EdDSA']) assert.ok(algorithms.includes(name), name);
  for (const name of algorithms) assert.match(name, /^(?!none|HS)/, 'nothing that a public key could forge');
}

describe('OAuth metadata documents', () => {
  const running = deployment({
    isAddressed: true,
    settings: { CORS_ORIGINS: frontend, IDP_REQUIRED_SCOPES: 'consumer, profile' },
    clients: { reader: [] },
  });
  const url = (path = '') => `${running().service.url}${path}`;

  it('the authorization server document follows RFC 8414', async () => {
    assertServerDocument(await request(url(serverPath)), url());
  });

  it('the protected resource document follows RFC 9728', async () => {
    const reply = await request(url(resourcePath));
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(reply.json(), {
      resource: url(),
      authorization_servers: [running().provider.origin, url()],
      bearer_methods_supported: ['header'],
      dpop_signing_alg_values_supported: proofAlgorithms,
      scopes_supported: ['consumer', 'profile'],
    });
  });

  it('both documents are public JSON, readable from listed origins, and cached for an hour', async () => {
    for (const path of [serverPath, resourcePath]) {
      const reply = await request(url(path), { headers: { origin: frontend, authorization: 'Bearer x' } });
      assert.equal(reply.status, 200);
      assert.equal(reply.headers.get('content-type'), 'application/json');
      assert.equal(reply.headers.get('cache-control'), 'public, max-age=3600');
      assert.equal(reply.headers.get('vary'), 'Origin');
      assert.equal(reply.headers.get('access-control-allow-origin'), frontend);
      assert.equal(reply.headers.get('access-control-allow-credentials'), null);
      const foreign = await request(url(path), { headers: { origin: 'https://evil.example' } });
      assert.deepEqual([foreign.status, foreign.headers.get('access-control-allow-origin')], [200, null]);
    }
  });

  it('both documents allow only GET, HEAD and OPTIONS', async () => {
    for (const path of [serverPath, resourcePath]) {
      const asked = { origin: frontend, 'access-control-request-method': 'GET' };
      const preflight = await request(url(path), { method: 'OPTIONS', headers: asked });
      assert.deepEqual([preflight.status, preflight.headers.get('allow')], [204, 'GET, HEAD, OPTIONS']);
      const head = await request(url(path), { method: 'HEAD' });
      assert.deepEqual([head.status, head.text], [200, '']);
      const post = await request(url(path), { method: 'POST', body: 'x' });
      assert.deepEqual([post.status, post.headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
    }
  });

  it('every challenge for a refused token names the resource document', async () => {
    const { provider } = running();
    const narrow = await provider.token({ scope: 'consumer' });
    const late = await provider.token({ exp: 1 });
    const replies = [await request(url(me))];
    for (const token of ['x', narrow, late]) replies.push(await withToken(url(me), token));
    const codes = ['token_missing', 'token_malformed', 'insufficient_scope', 'token_expired'];
    assert.deepEqual(
      replies.map((reply) => reply.json().code),
      codes,
    );
    for (const { headers } of replies)
      assert.ok(headers.get('www-authenticate')?.includes(`, resource_metadata="${url(resourcePath)}"`));
  });

  it('a standard client discovers the token endpoint from a refusal and gets a token', async () => {
    const insecure = { [oauth.allowInsecureRequests]: true } as const;
    const knock = (token: string) =>
      oauth.protectedResourceRequest(token, 'GET', new URL(url(me)), undefined, undefined, insecure);
    const refusal = await knock('x.y.z').then(
      () => assert.fail('a bad token got in'),
      (error: oauth.WWWAuthenticateChallengeError) => error,
    );
    assert.ok(refusal instanceof oauth.WWWAuthenticateChallengeError, String(refusal));
    const { resource_metadata: documentUrl } = refusal.cause[0]?.parameters ?? {};
    const resource = await oauth.processResourceDiscoveryResponse(
      new URL(url()),
      await fetch(String(documentUrl)),
    );
    const issuer = new URL(String(resource.authorization_servers?.at(-1)));
    const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    const server = await oauth.processDiscoveryResponse(issuer, found);
    const client = running().client('reader');
    const self = { client_id: client.id };
    const secret = oauth.ClientSecretBasic(client.secret);
    const answer = await oauth.clientCredentialsGrantRequest(server, self, secret, {}, insecure);
    const { access_token } = await oauth.processClientCredentialsResponse(server, self, answer);
    assert.equal((await knock(access_token)).status, 200);
  });

  it('a client that knows only the resource address finds its document', async () => {
    const options = { [oauth.allowInsecureRequests]: true } as const;
    const reply = await oauth.resourceDiscoveryRequest(new URL(url()), options);
    const { bearer_methods_supported } = await oauth.processResourceDiscoveryResponse(new URL(url()), reply);
    assert.deepEqual(bearer_methods_supported, ['header']);
  });
});

describe('OAuth metadata with BASE_URL and IDP_ISSUER set', () => {
  const base = 'http://127.0.0.1/vestibule';
  const issuer = 'https://login.example/realms/main';
  const running = deployment({ settings: { IDP_ISSUER: issuer, BASE_URL: base } });

  it('documents use BASE_URL, and list no scopes when none are required', async () => {
    const { url } = running().service;
    assertServerDocument(await request(`${url}${serverPath}`), base);
    assert.deepEqual((await request(`${url}${resourcePath}`)).json(), {
      resource: base,
      authorization_servers: [issuer, base],
      bearer_methods_supported: ['header'],
      dpop_signing_alg_values_supported: proofAlgorithms,
    });
    const challenge = (await request(`${url}${me}`)).headers.get('www-authenticate');
    assert.ok(challenge?.includes(`resource_metadata="${base}${resourcePath}"`), String(challenge));
  });

  it('without CORS_ORIGINS no script can read the documents', async () => {
    for (const path of [serverPath, resourcePath]) {
      const { headers } = await request(`${running().service.url}${path}`, { headers: { origin: frontend } });
      assert.deepEqual([headers.get('access-control-allow-origin'), headers.get('vary')], [null, null]);
      assert.equal(headers.get('cache-control'), 'public, max-age=3600');
    }
  });
});
