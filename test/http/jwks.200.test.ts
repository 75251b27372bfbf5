import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { describe, it } from 'node:test';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { request } from '../support/http/request.ts';
import { deployment } from '../support/services/deployment.ts';
import { startService } from '../support/services/service.ts';

describe('GET /.well-known/jwks.json', () => {
  const running = deployment({ settings: { TOKEN_SIGNING_ALG: 'RS256' } });
  const publishedKeys = async (url = running().service.url) => {
    const reply = await request(`${url}/.well-known/jwks.json`);
    assert.equal(reply.status, 200, reply.text);
    return reply.json<{ keys: JWK[] }>().keys;
  };

  it('the key set is public JSON that may be cached for five minutes', async () => {
    const reply = await request(`${running().service.url}/.well-known/jwks.json`);
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('content-type'), 'application/json');
    assert.equal(reply.headers.get('cache-control'), 'public, max-age=300');
    assert.equal(reply.headers.get('vary'), null);
    assert.deepEqual(Object.keys(reply.json()), ['keys']);
  });

  it('a published key has exactly the members kty, n, e, kid, use and alg', async () => {
    const keys = await publishedKeys();
    assert.equal(keys.length, 1);
    for (const key of keys) {
      assert.deepEqual(Object.keys(key).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use']);
      assert.deepEqual([key.kty, key.use, key.alg], ['RSA', 'sig', 'RS256']);
    }
  });

  it('a published key is an RSA key of at least 2048 bits, and its kid is its thumbprint', async () => {
    for (const key of await publishedKeys()) {
      const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey({
        key: key as Record<string, unknown>,
        format: 'jwk',
      });
      assert.equal(asymmetricKeyType, 'rsa');
      assert.ok(Number(asymmetricKeyDetails?.modulusLength) >= 2048);
      assert.equal(key.kid, await calculateJwkThumbprint(key));
    }
  });

  it("the keys are the service's own, not the provider's, and survive a restart", async () => {
    const { service, provider } = running();
    const keys = await publishedKeys();
    assert.ok(keys.every(({ n }) => n !== provider.key.jwk.n));
    const restarted = await startService(service.settings);
    const after = await publishedKeys(restarted.url).finally(() => restarted.stop());
    assert.deepEqual(after, keys);
  });
});
