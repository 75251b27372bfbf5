import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type CryptoKey, decodeJwt, SignJWT } from 'jose';
import type { SigningKey } from '../../src/tokens/signing-key.ts';
import { request } from '../support/http/request.ts';
import { addClient } from '../support/services/service.ts';
import { ownSigningKey } from '../support/tokens/own-signing-key.ts';
import { tokenOf } from '../support/tokens/token-endpoint.ts';
import { attackedService } from './attacked-service.ts';

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
    await target().refuses(
      await signedBy(privateKey, provider.key.kid, provider.origin),
      'signature_invalid',
    );
  });

  it("[A38] a token with this service as issuer is refused when signed with the provider's key", async () => {
    const { privateKey, kid } = target().provider.key;
    await target().refuses(await signedBy(privateKey, kid, ownIssuer()), 'key_unknown');
    await target().refuses(await signedBy(privateKey, ownKey.kid, ownIssuer()), 'signature_invalid');
  });

  it('[A39] the same subject of two issuers is two callers', async () => {
    const issued = await request(`${target().service.url}/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: clientId, client_secret: clientSecret }),
    });
    const ours = await target().accepts(issued.json<{ token: string }>().token);
    const theirs = await target().accepts(await target().provider.token({ sub: clientId }));
    assert.equal(ours.subject, theirs.subject);
    assert.equal(ours.kind, 'client');
    assert.equal(theirs.kind, 'user');
    assert.notEqual(ours.id, theirs.id);
  });
});
