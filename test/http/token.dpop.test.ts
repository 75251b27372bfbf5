import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import type { OpenApiDocument } from '../../src/openapi/document.ts';
import type { Reference, Response } from '../../src/openapi/openapi-types.ts';
import { follow } from '../support/http/follow.ts';
import { type Reply, request, withToken } from '../support/http/request.ts';
import { deployment } from '../support/services/deployment.ts';
import { addClient, me } from '../support/services/service.ts';
import {
  addKeyClient,
  assertionClaims,
  assertionForm,
  type ClientKey,
  makeClientKey,
  signAssertion,
} from '../support/tokens/client-keys.ts';
import { type DpopKey, newDpopKey, type ProofChanges, proofBy, withProof } from '../support/tokens/dpop.ts';
import { partsOf } from '../support/tokens/forged-token.ts';

const client = { client_id: 'reports', client_secret: '' };
let clientKey: ClientKey;
const prepare = async (settings: Parameters<typeof addClient>[0]) => {
  clientKey = await makeClientKey('ES256');
  await addKeyClient(settings, 'signing', [clientKey]);
  client.client_secret = await addClient(settings, client.client_id);
};

const askByJson = (url: string, proof: string, credentials: object): Promise<Reply> =>
  request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', dpop: proof },
    body: JSON.stringify(credentials),
  });
const askByForm = (
  url: string,
  proof: string,
  credentials: Readonly<Record<string, string>>,
): Promise<Reply> =>
  request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', dpop: proof },
    body: String(new URLSearchParams({ grant_type: 'client_credentials', ...credentials })),
  });

describe('POST /token with a DPoP proof', () => {
  const running = deployment({ isAddressed: true, settings: { REFUSALS_PER_MINUTE: '40000' }, prepare });
  const endpoint = () => `${running().service.url}/token`;
  const myself = () => `${running().service.url}${me}`;
  const key = newDpopKey();

  const proofFor = (changes: ProofChanges = {}, by: DpopKey = key) =>
    proofBy(by, { method: 'POST', url: endpoint() }, changes);
  const byJson = (proof: string, credentials = client) => askByJson(endpoint(), proof, credentials);
  const byForm = (proof: string, credentials = client) => askByForm(endpoint(), proof, credentials);

  it('JSON and form requests get a token bound to the key, which needs a proof at /me', async () => {
    const asked = [await byJson(proofFor()), await byForm(proofFor())];
    assert.deepEqual(Object.keys(asked[0]?.json() ?? {}), ['token', 'token_type']);
    for (const reply of asked) {
      assert.equal(reply.status, 200, reply.text);
      const { token, access_token, token_type } = reply.json();
      assert.equal(token_type, 'DPoP');
      const bound = String(token ?? access_token);
      assert.deepEqual(partsOf(bound).claims.cnf, { jkt: key.thumbprint });
      const proof = proofBy(key, { method: 'GET', url: myself(), token: bound });
      assert.equal((await withProof(myself(), bound, proof)).status, 200);
      assert.equal((await withToken(myself(), bound)).json().code, 'token_bound');
    }
  });

  it('a request without a proof gets an unbound token', async () => {
    const reply = await request(endpoint(), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(client),
    });
    const { token, token_type } = reply.json();
    assert.equal(token_type, 'Bearer');
    assert.equal(partsOf(String(token)).claims.cnf, undefined);
  });

  const faults: Record<string, () => string> = {
    'no proof': () => 'proof',
    'for another method': () => proofFor({ claims: { htm: 'GET' } }),
    'for another address': () => proofFor({ claims: { htu: myself() } }),
    'of an hour ago': () => proofFor({ claims: { iat: Math.floor(Date.now() / 1000) - 3600 } }),
    'signed by another key': () => proofFor({ signedBy: newDpopKey() }),
    'with a private key': () => proofFor({ header: { jwk: key.privateKey.export({ format: 'jwk' }) } }),
    'of another type': () => proofFor({ header: { typ: 'JWT' } }),
  };
  for (const [name, proof] of Object.entries(faults))
    it(`refuses a proof ${name}: JSON with {}, a form with invalid_dpop_proof`, async () => {
      const json = await byJson(proof());
      assert.deepEqual([json.status, json.text], [400, '{}']);
      const form = await byForm(proof());
      assert.deepEqual([form.status, form.json().error], [400, 'invalid_dpop_proof']);
    });

  it('an assertion is used up even when the proof beside it is refused', async () => {
    const claims = assertionClaims('signing', running().service.url);
    const form = assertionForm(await signAssertion(clientKey, claims));
    const refused = await askByForm(endpoint(), proofFor({ signedBy: newDpopKey() }), form);
    assert.deepEqual([refused.status, refused.json().error], [400, 'invalid_dpop_proof']);
    const again = await askByForm(endpoint(), proofFor(), form);
    assert.deepEqual([again.status, again.json().error], [401, 'invalid_client']);
  });

  it('wrong credentials are reported before any fault of the proof', async () => {
    const wrong = { ...client, client_secret: 'wrong' };
    for (const proof of Object.values(faults)) {
      const json = await byJson(proof(), wrong);
      assert.deepEqual([json.status, json.text], [401, '{}']);
      const form = await byForm(proof(), wrong);
      assert.deepEqual([form.status, form.json().error], [401, 'invalid_client']);
    }
  });

  it('a proof can be used once, and a failed authentication does not use it up', async () => {
    const proof = proofFor();
    const stranger = await byJson(proof, { ...client, client_secret: 'wrong' });
    assert.deepEqual([stranger.status, stranger.text], [401, '{}']);
    assert.equal((await byForm(proof)).status, 200);
    assert.equal((await byForm(proof)).json().error, 'invalid_dpop_proof');
    assert.deepEqual([(await byJson(proof)).status, (await byJson(proof)).text], [400, '{}']);
  });
});

describe('POST /token with too many invalid proofs', () => {
  const limit = 4;
  const running = deployment({
    isAddressed: true,
    settings: { REFUSALS_PER_MINUTE: String(limit * 40) },
    prepare,
  });
  const key = newDpopKey();

  it('invalid proofs are limited like wrong credentials, and a valid one still gets 200', async () => {
    const url = `${running().service.url}/token`;
    const proof = (changes: ProofChanges = {}) => proofBy(key, { method: 'POST', url }, changes);
    const bad = () => proof({ signedBy: newDpopKey() });
    for (let count = 0; count < limit; count += 1)
      assert.equal((await askByJson(url, bad(), client)).status, 400, `try ${count + 1}`);
    const json = await askByJson(url, bad(), client);
    assert.deepEqual([json.status, json.text], [429, '{}']);
    const form = await askByForm(url, bad(), client);
    assert.deepEqual([form.status, form.json().error], [429, 'invalid_client']);
    assert.ok(Number(form.headers.get('retry-after')) > 0);
    assert.equal((await askByJson(url, proof(), client)).status, 200);
  });
});

describe('POST /token with nonces required', () => {
  const limit = 4;
  const settings = { DPOP: 'required, nonce', REFUSALS_PER_MINUTE: String(limit * 40) };
  const running = deployment({ isAddressed: true, settings: { ...settings }, prepare });
  const base = () => new URL(running().service.url);
  const myself = () => new URL(`${running().service.url}${me}`);

  it('openid-client gets and uses a bound token', async () => {
    const execute = [openid.allowInsecureRequests];
    const options = { algorithm: 'oauth2', execute } as const;
    const secret = openid.ClientSecretPost(client.client_secret);
    const config = await openid.discovery(base(), client.client_id, {}, secret, options);
    const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair());
    const { access_token, token_type } = await openid.clientCredentialsGrant(config, {}, { DPoP });
    assert.equal(token_type, 'dpop');
    const none = undefined;
    const reply = await openid.fetchProtectedResource(config, access_token, myself(), 'GET', none, none, {
      DPoP,
    });
    assert.equal(reply.status, 200);
  });

  it('oauth4webapi gets 400 use_dpop_nonce, and its retry succeeds', async () => {
    const insecure = { [oauth.allowInsecureRequests]: true } as const;
    const found = await oauth.discoveryRequest(base(), { algorithm: 'oauth2', ...insecure });
    const server = await oauth.processDiscoveryResponse(base(), found);
    const self: oauth.Client = { client_id: client.client_id };
    const DPoP = oauth.DPoP(self, await oauth.generateKeyPair('PS256'));
    const secret = oauth.ClientSecretBasic(client.client_secret);
    const ask = async () => {
      const answer = await oauth.clientCredentialsGrantRequest(
        server,
        self,
        secret,
        {},
        { DPoP, ...insecure },
      );
      return oauth.processClientCredentialsResponse(server, self, answer);
    };
    await assert.rejects(ask(), (error) => {
      assert.ok(error instanceof oauth.ResponseBodyError && oauth.isDPoPNonceError(error));
      return error.status === 400;
    });
    assert.equal((await ask()).token_type, 'dpop');
  });

  it('JSON gets 400 with {} and the nonce', async () => {
    const key = newDpopKey();
    const url = `${running().service.url}/token`;
    const ask = (nonce: string | null) =>
      request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', dpop: proofBy(key, { method: 'POST', url, nonce }) },
        body: JSON.stringify(client),
      });
    const refused = await ask(null);
    assert.deepEqual([refused.status, refused.text], [400, '{}']);
    assert.equal((await ask(refused.headers.get('dpop-nonce'))).json().token_type, 'DPoP');
  });

  it('openid-client gets a bound token by private_key_jwt, with an assertion for each request', async () => {
    const sent: string[] = [];
    const execute = [openid.allowInsecureRequests];
    const { privateKey: key, kid } = clientKey;
    const config = await openid.discovery(base(), 'signing', {}, openid.PrivateKeyJwt({ key, kid }), {
      algorithm: 'oauth2',
      execute,
      [openid.customFetch]: (url, options) => {
        const { body } = options;
        if (body instanceof URLSearchParams) sent.push(String(body.get('client_assertion')));
        return fetch(url, options as RequestInit);
      },
    });
    const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair());
    const { token_type } = await openid.clientCredentialsGrant(config, {}, { DPoP });
    assert.equal(token_type, 'dpop');
    assert.deepEqual([sent.length, new Set(sent).size], [2, 2]);
  });

  it('a missing nonce is not counted as a failure, and uses up the assertion', async () => {
    const url = `${running().service.url}/token`;
    const key = newDpopKey();
    const ask = async (form: Readonly<Record<string, string>>, nonce: string | null) =>
      askByForm(url, proofBy(key, { method: 'POST', url, nonce }), form);
    const newForm = async () =>
      assertionForm(await signAssertion(clientKey, assertionClaims('signing', running().service.url)));
    let nonce: string | null = null;
    let form = await newForm();
    for (let count = 0; count <= limit; count += 1) {
      form = await newForm();
      const refused = await ask(form, null);
      assert.deepEqual([refused.status, refused.json().error], [400, 'use_dpop_nonce']);
      nonce = refused.headers.get('dpop-nonce');
    }
    assert.equal((await ask(form, nonce)).status, 401, 'it counts once');
    assert.equal((await ask(await newForm(), nonce)).json().token_type, 'DPoP');
  });

  it('a request without a proof gets no token', async () => {
    const url = `${running().service.url}/token`;
    const headers = { 'content-type': 'application/json' };
    const json = await request(url, { method: 'POST', headers, body: JSON.stringify(client) });
    assert.deepEqual([json.status, json.text], [400, '{}']);
    const body = new URLSearchParams({ grant_type: 'client_credentials', ...client });
    const form = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: String(body),
    });
    assert.deepEqual([form.status, form.json().error], [400, 'invalid_dpop_proof']);
  });

  it('the OpenAPI document describes DPoP and the nonce header', async () => {
    const { text } = await request(`${running().service.url}/openapi.json`);
    const document: OpenApiDocument = JSON.parse(text);
    const { components, paths } = document;
    assert.deepEqual(Object.keys(components.securitySchemes), ['dpop', 'dpopProof', 'client', 'clientBasic']);
    const { $ref } = (paths[me]?.get?.responses[200] ?? assert.fail()) as Reference;
    assert.ok('DPoP-Nonce' in ((follow($ref, document) as Response).headers ?? {}));
  });

  it('an unbound token of the provider is refused with a DPoP challenge', async () => {
    const reply = await withToken(myself().href, await running().provider.token());
    assert.deepEqual([reply.status, reply.json().code], [403, 'proof_required']);
    const challenge = String(reply.headers.get('www-authenticate'));
    assert.match(challenge, /^DPoP realm="vestibule", error="invalid_token"/);
    const nobody = await request(myself().href);
    const named = String(nobody.headers.get('www-authenticate'));
    assert.match(named, /^DPoP realm="vestibule", resource_metadata=/);
    const { dpop_bound_access_tokens_required: required } = (
      await request(`${running().service.url}/.well-known/oauth-protected-resource`)
    ).json();
    assert.equal(required, true);
  });
});

describe('POST /token and /me with DPOP=off', () => {
  const running = deployment({ isAddressed: true, settings: { DPOP: 'off' }, prepare });

  it('DPoP is not advertised, and a bound token is refused', async () => {
    const { service, provider } = running();
    const url = `${service.url}${me}`;
    const key = newDpopKey();
    const token = await provider.token({ cnf: { jkt: key.thumbprint } });
    const proof = proofBy(key, { method: 'GET', url, token });
    const bound = await withProof(url, token, proof);
    assert.deepEqual([bound.status, bound.json().code], [403, 'token_missing']);
    assert.match(String(bound.headers.get('www-authenticate')), /^Bearer [^D]*$/);
    assert.equal((await withToken(url, token)).json().code, 'token_bound');
    const metadata = (await request(`${service.url}/.well-known/oauth-authorization-server`)).json();
    assert.ok(!('dpop_signing_alg_values_supported' in metadata));
    for (const path of ['/openapi.json', '/docs'])
      assert.doesNotMatch((await request(`${service.url}${path}`)).text, /dpop|proof_/i, path);
  });
});
