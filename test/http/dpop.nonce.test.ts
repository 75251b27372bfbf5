import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import * as dpop from 'dpop';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { type DevProvider, startDevProvider } from '../../src/cli/dev/provider.ts';
import { freePort } from '../support/run/ports.ts';
import { surroundings } from '../support/run/surroundings.ts';
import { newMasterSecret } from '../support/services/master-secret.ts';
import { me, newSettings, type Service, startService } from '../support/services/service.ts';
import { assertProofRefused, newDpopKey, proofBy, withProof } from '../support/tokens/dpop.ts';

/** Provider, clients and service share one mocked clock, so this file needs its own process. */
const machine = { id: 'machine', secret: newMasterSecret() };
let provider: DevProvider;
let service: Service;

before(async () => {
  mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const { audience } = surroundings();
  const webClient = { id: 'web', redirectUris: [], postLogoutRedirectUris: [] };
  provider = await startDevProvider({
    ...{ port: 0, audience, machineClient: machine, webClient, accessTokenSeconds: 3600 },
    scopes: () => ['read'],
  });
  const port = String(await freePort());
  const settings = await newSettings('sqlite', {
    IDP_ORIGIN: provider.origin,
    IDP_JWKS_PATH: '/jwks',
    DPOP: 'nonce',
    PORT: port,
    BASE_URL: `http://127.0.0.1:${port}`,
  });
  service = await startService(settings);
});
after(async () => {
  mock.timers.reset();
  await provider.stop();
  await service.stop();
});

const url = () => new URL(`${service.url}${me}`);
const pass = async (milliseconds: number) => {
  mock.timers.tick(milliseconds);
  await service.advance(milliseconds);
};

/** A third-party client: each call is one GET /me and returns its status. */
interface Client {
  /** The nonces received. */
  readonly nonces: Set<string>;
  call(): Promise<number>;
}

/** A fetch that records the nonce of each answer. */
function listening(nonces: Set<string>) {
  return async (target: string, init: object): Promise<Response> => {
    const response = await fetch(target, init as RequestInit);
    nonces.add(String(response.headers.get('dpop-nonce')));
    return response;
  };
}

async function byOauth4webapi(): Promise<Client> {
  const nonces = new Set<string>();
  const insecure = { [oauth.allowInsecureRequests]: true } as const;
  const issuer = new URL(provider.origin);
  const found = await oauth.discoveryRequest(issuer, insecure);
  const server = await oauth.processDiscoveryResponse(issuer, found);
  const client: oauth.Client = { client_id: machine.id };
  const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
  const secret = oauth.ClientSecretBasic(machine.secret);
  const granted = await oauth.clientCredentialsGrantRequest(
    server,
    client,
    secret,
    {},
    { DPoP, ...insecure },
  );
  const { access_token, token_type } = await oauth.processClientCredentialsResponse(server, client, granted);
  assert.equal(token_type, 'dpop');
  const options = { DPoP, ...insecure, [oauth.customFetch]: listening(nonces) };
  const send = () =>
    oauth.protectedResourceRequest(access_token, 'GET', url(), undefined, undefined, options);
  return {
    nonces,
    // Repeats the request after a nonce error, as the documentation of the library says.
    call: async () =>
      (
        await send().catch((error) => {
          assert.ok(oauth.isDPoPNonceError(error), String(error));
          return send();
        })
      ).status,
  };
}

async function byOpenidClient(): Promise<Client> {
  const nonces = new Set<string>();
  const secret = openid.ClientSecretBasic(machine.secret);
  const execute = [openid.allowInsecureRequests];
  const config = await openid.discovery(new URL(provider.origin), machine.id, {}, secret, { execute });
  const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair());
  const { access_token } = await openid.clientCredentialsGrant(config, {}, { DPoP });
  config[openid.customFetch] = listening(nonces);
  return {
    nonces,
    call: async () =>
      (
        await openid.fetchProtectedResource(config, access_token, url(), 'GET', undefined, undefined, {
          DPoP,
        })
      ).status,
  };
}

async function byDpop(): Promise<Client> {
  const nonces = new Set<string>();
  const keys = await dpop.generateKeyPair('Ed25519');
  const endpoint = `${provider.origin}/token`;
  const basic = Buffer.from(`${machine.id}:${encodeURIComponent(machine.secret)}`).toString('base64');
  const granted = await fetch(endpoint, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}`, dpop: await dpop.generateProof(keys, endpoint, 'POST') },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token: token } = (await granted.json()) as { access_token: string };
  const fetchAndNote = listening(nonces);
  let nonce: string | undefined;
  const send = async () => {
    const proof = await dpop.generateProof(keys, url().href, 'GET', nonce, token);
    const response = await fetchAndNote(url().href, {
      headers: { authorization: `DPoP ${token}`, dpop: proof },
    });
    nonce = response.headers.get('dpop-nonce') ?? nonce;
    return response;
  };
  return {
    nonces,
    async call() {
      const response = await send();
      const challenge = response.headers.get('www-authenticate') ?? '';
      return /^DPoP .*error="use_dpop_nonce"/.test(challenge) ? (await send()).status : response.status;
    },
  };
}

const clients = { oauth4webapi: byOauth4webapi, 'openid-client': byOpenidClient, dpop: byDpop };

describe('DPoP with required nonces', () => {
  it('third-party clients succeed on every call while the nonce changes', async () => {
    const all = await Promise.all(Object.values(clients).map((connect) => connect()));
    // After the pause of six minutes every known nonce has expired.
    for (const pauseMs of [0, 1_000, 60_000, 60_000, 60_000, 119_000, 121_000, 360_000, 30_000, 60_000]) {
      await pass(pauseMs);
      for (const client of all) {
        assert.equal(await client.call(), 200);
        assert.equal(await client.call(), 200);
      }
    }
    for (const [index, { nonces }] of all.entries())
      assert.ok(nonces.size >= 4, `${Object.keys(clients)[index]} was told ${nonces.size} nonces`);
    const [first] = all;
    for (const { nonces } of all) assert.deepEqual([...nonces].at(-1), [...(first?.nonces ?? [])].at(-1));
  });

  it('every answer of a protected route and of POST /token carries the current nonce, even a refusal', async () => {
    const answers = await Promise.all([
      fetch(url()),
      fetch(url(), { headers: { authorization: 'Bearer x' } }),
      fetch(`${service.url}/token`, { method: 'POST' }),
    ]);
    const nonces = new Set(answers.map(({ headers }) => headers.get('dpop-nonce')));
    assert.equal(nonces.size, 1);
    assert.match(String([...nonces][0]), /^[A-Za-z0-9_-]{22}$/);
    const open = await fetch(`${service.url}/openapi.json`);
    assert.equal(open.headers.get('dpop-nonce'), null);
  });

  it('a proof with a missing, wrong or expired nonce is refused with the current nonce', async () => {
    const key = newDpopKey();
    const { token, nonce: old } = await boundToken(key);
    const send = (nonce: string | null) =>
      withProof(url().href, token, proofBy(key, { method: 'GET', url: url().href, token, nonce }));
    await pass(360_000);
    for (const nonce of [null, 'wrong', old]) {
      const reply = await send(nonce);
      assertProofRefused(reply, 'proof_nonce_required', null);
      assert.equal((await send(reply.headers.get('dpop-nonce'))).status, 200);
    }
  });

  it('a proof with another fault is refused for that fault before its nonce', async () => {
    const key = newDpopKey();
    const { token } = await boundToken(key);
    const wrong = proofBy(key, { method: 'POST', url: url().href, token });
    assertProofRefused(await withProof(url().href, token, wrong), 'proof_invalid', 'htm');
  });

  /** A bound token of the provider, and a nonce of the service. */
  async function boundToken(key: ReturnType<typeof newDpopKey>) {
    const endpoint = `${provider.origin}/token`;
    const basic = Buffer.from(`${machine.id}:${encodeURIComponent(machine.secret)}`).toString('base64');
    const proof = proofBy(key, { method: 'POST', url: endpoint });
    const granted = await fetch(endpoint, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}`, dpop: proof },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    const { access_token: token } = (await granted.json()) as { access_token: string };
    const nonce = (await fetch(url())).headers.get('dpop-nonce');
    return { token, nonce };
  }
});
