import { constants, sign } from 'node:crypto';
import { describe, it } from 'node:test';
import type { JWK } from 'jose';
import { request } from '../support/http/request.ts';
import { compact, hmac, rs256, type Signer } from '../support/tokens/forged-token.ts';
import { ownSigningKey } from '../support/tokens/own-signing-key.ts';
import type { ProviderKey } from '../support/tokens/provider.ts';
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
