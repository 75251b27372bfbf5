import assert from 'node:assert/strict';
import { constants, sign } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { type CryptoKey, decodeJwt, type JWK, SignJWT } from 'jose';
import type { SigningKey } from '../../src/tokens/signing-key.ts';
import { request } from '../support/http/request.ts';
import { addClient } from '../support/services/service.ts';
import { compact, hmac, rs256, type Signer } from '../support/tokens/forged-token.ts';
import { ownSigningKey } from '../support/tokens/own-signing-key.ts';
import type { ProviderKey } from '../support/tokens/provider.ts';
import { tokenOf } from '../support/tokens/token-endpoint.ts';
import { type AttackedService, attackedService } from './attacked-service.ts';

const hashes = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' } as const;

async function refusesSecret(target: AttackedService, secret: string): Promise<void> {
  const { key } = target.provider;
  for (const [alg, hash] of Object.entries(hashes)) {
    const token = compact({ alg, kid: key.kid }, target.provider.claims(), hmac(hash, secret));
    await target.refuses(token, 'algorithm_not_allowed');
  }
}

const pss =
  ({ privateKey }: ProviderKey): Signer =>
  (input) =>
    sign('sha256', Buffer.from(input), {
      key: privateKey,
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: 32,
    });

describe('the public signing key of this service', () => {
  const target = attackedService();

  it("[A8] an HMAC token with this service's public key as its secret is refused", async () => {
    const published = await request(`${target().service.url}/.well-known/jwks.json`);
    const { keys } = published.json<{ keys: JWK[] }>();
    for (const secret of [published.text, JSON.stringify(keys[0]), String(keys[0]?.n)])
      await refusesSecret(target(), secret);
  });
});

describe("this service's signing keys when the provider may use several algorithms", () => {
  const target = attackedService({
    settings: { ALLOWED_ALGORITHMS: 'RS256,RS512,PS256', TOKEN_SIGNING_ALG: 'RS256' },
  });

  it("[A11] a token in this service's name is refused when signed with an algorithm of the provider", async () => {
    const { kid } = (await request(`${target().service.url}/.well-known/jwks.json`)).json<{ keys: JWK[] }>()
      .keys[0] as JWK;
    const claims = target().provider.claims({ iss: target().service.settings.BASE_URL });
    const forged = compact({ alg: 'PS256', typ: 'at+jwt', kid }, claims, pss(target().provider.key));
    await target().refuses(forged, 'algorithm_not_allowed');
  });

  it('[A11] a key of this service verifies only the algorithm it signs with', async () => {
    const { BASE_URL: iss } = target().service.settings;
    const { kid, privateKey } = await ownSigningKey(target().service.settings);
    const claims = target().provider.claims({ iss });
    for (const alg of ['ES256', 'EdDSA'] as const)
      await target().refuses(compact({ alg, typ: 'at+jwt', kid }, claims, rs256(privateKey)), 'key_unknown');
  });
});

describe('a provider known by its origin', () => {
  const target = attackedService();

  it('[A33] the origin is accepted with and without one trailing slash', async () => {
    const { provider } = target();
    await target().accepts(await provider.token({ iss: provider.origin }));
    await target().accepts(await provider.token({ iss: `${provider.origin}/` }));
  });
});

describe('two issuers, each with its own keys', () => {
  let ownKey: SigningKey;
  let clientSecret: string;
  let jti: string;
  const clientId = 'shared-name';
  const target = attackedService({
    settings: { TOKEN_SIGNING_ALG: 'RS256' },
    async prepare(_provider, settings) {
      clientSecret = await addClient(settings, clientId);
    },
  });
  before(async () => {
    const { url, settings } = target().service;
    ownKey = await ownSigningKey(settings);
    const issued = await tokenOf(url, { id: clientId, secret: clientSecret });
    jti = String(decodeJwt(issued).jti);
  });

  const ownIssuer = () => String(target().service.settings.BASE_URL);
  const signedBy = (
    key: CryptoKey | Parameters<SignJWT['sign']>[0],
    kid: string,
    iss: string,
    changes: object = {},
  ) =>
    // Without scopes: the client has none, and a token may have no others than its client.
    new SignJWT(target().provider.claims({ iss, sub: clientId, jti, scope: undefined, ...changes }))
      .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid })
      .sign(key);

  it('[A38] each key is accepted for its own issuer', async () => {
    const { provider } = target();
    await target().accepts(await signedBy(ownKey.privateKey, ownKey.kid, ownIssuer()));
    await target().accepts(await signedBy(provider.key.privateKey, provider.key.kid, provider.origin));
  });

  it('[C108] a token of this service is refused when its credential is missing or removed', async () => {
    const named = (name: unknown) => signedBy(ownKey.privateKey, ownKey.kid, ownIssuer(), { jti: name });
    const [secretId] = jti.split('.');
    await target().accepts(await named(`${secretId}.x`));
    for (const name of [undefined, null, 1, [jti], '', '.x'])
      await target().refuses(await named(name), 'claim_invalid');
    for (const name of ['000000000000.x', 'key.x', 'key', `x${jti}`, `${secretId}0.x`])
      await target().refuses(await named(name), 'client_disabled');
    const { privateKey, kid } = target().provider.key;
    await target().accepts(await signedBy(privateKey, kid, target().provider.origin, { jti: undefined }));
  });

  it("[A38] a token with the provider as issuer is refused when signed with this service's key", async () => {
    const { provider } = target();
    const { privateKey, kid } = ownKey;
    await target().refuses(await signedBy(privateKey, kid, provider.origin), 'key_unknown');
    const named = await signedBy(privateKey, provider.key.kid, provider.origin);
    await target().refuses(named, 'signature_invalid');
  });

  it("[A38] a token with this service as issuer is refused when signed with the provider's key", async () => {
    const { privateKey, kid } = target().provider.key;
    await target().refuses(await signedBy(privateKey, kid, ownIssuer()), 'key_unknown');
    await target().refuses(await signedBy(privateKey, ownKey.kid, ownIssuer()), 'signature_invalid');
  });

  it('[A39] the same subject of two issuers is two callers', async () => {
    const credentials = { id: clientId, secret: clientSecret };
    const ours = await target().accepts(await tokenOf(target().service.url, credentials));
    const theirs = await target().accepts(await target().provider.token({ sub: clientId }));
    assert.equal(ours.subject, theirs.subject);
    assert.equal(ours.kind, 'client');
    assert.equal(theirs.kind, 'user');
    assert.notEqual(ours.id, theirs.id);
  });
});

describe('tokens of this service with REQUIRE_AT_JWT and MAX_TOKEN_LIFETIME_SECONDS', () => {
  let secret: string;
  const target = attackedService({
    settings: { REQUIRE_AT_JWT: 'true', MAX_TOKEN_LIFETIME_SECONDS: '600', TOKEN_TTL_SECONDS: '900' },
    async prepare(_provider, settings) {
      secret = await addClient(settings, 'machine');
    },
  });

  it('[A42] a token of POST /token is accepted although it lives longer', async () => {
    const token = await tokenOf(target().service.url, { id: 'machine', secret });
    assert.equal((await target().accepts(token)).kind, 'client');
  });
});
