import { constants, sign } from 'node:crypto';
import { describe, it } from 'node:test';
import type { Attack, Attacked } from '../../support/http/attacked.ts';
import { certificateOf } from '../../support/tokens/certificate.ts';
import { base64url, compact, hmac, rs256, type Signer } from '../../support/tokens/forged-token.ts';
import type { ProviderKey } from '../../support/tokens/provider.ts';

export function algorithmForgeries(attack: Attack): void {
  const hashes = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' } as const;

  /** A token with valid claims, the right kid and this `alg`. */
  function token({ provider }: Attacked, alg: unknown, signer: Signer): string {
    return compact({ alg, kid: provider.key.kid }, provider.claims(), signer);
  }

  function rsa({ privateKey }: ProviderKey, hash: string, pss = false): Signer {
    const padding = pss ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING;
    return (input) => sign(hash, Buffer.from(input), { key: privateKey, padding, saltLength: 32 });
  }

  describe('a provider key published with its alg', () => {
    const target = attack();
    const rightKey = () => rs256(target().provider.key.privateKey);

    it('[A1] an RS256 token of that key is accepted', async () => {
      await target().accepts(token(target(), 'RS256', rightKey()));
    });

    for (const alg of ['none', 'None', 'NONE', 'nOnE', 'none ', ''])
      it(`[A6] alg "${alg}" is refused with and without a signature`, async () => {
        const signed = token(target(), alg, rightKey());
        await target().refuses(signed, 'algorithm_not_allowed');
        await target().refuses(signed.slice(0, signed.lastIndexOf('.') + 1), 'token_malformed');
      });

    const notNames = { missing: undefined, null: null, '1': 1, true: true, '["RS256"]': ['RS256'], '{}': {} };
    for (const [name, alg] of Object.entries(notNames))
      it(`[A7] alg ${name} is refused`, async () => {
        await target().refuses(token(target(), alg, rightKey()), 'algorithm_not_allowed');
      });

    it("[A8] an HMAC with any form of the provider's public key as its secret is refused", async () => {
      for (const secret of await publicForms(target().provider.key)) await refusesSecret(target(), secret);
    });

    it('[A9] an HMAC with an empty or all-zero secret is refused', async () => {
      for (const secret of ['', Buffer.alloc(1), Buffer.alloc(32), Buffer.alloc(64)])
        await refusesSecret(target(), secret);
    });

    it('[A11] other algorithms are refused although the right key has signed', async () => {
      const { key } = target().provider;
      const signers = {
        RS384: rsa(key, 'sha384'),
        RS512: rsa(key, 'sha512'),
        PS256: rsa(key, 'sha256', true),
        PS384: rsa(key, 'sha384', true),
        PS512: rsa(key, 'sha512', true),
        ES256: rightKey(),
        EdDSA: rightKey(),
      };
      for (const [alg, signer] of Object.entries(signers))
        await target().refuses(token(target(), alg, signer), 'algorithm_not_allowed');
    });

    it('[A12] the name of the algorithm is compared exactly', async () => {
      for (const alg of ['rs256', 'Rs256', 'RS256 ', ' RS256', 'RS256\0', 'RS-256', 'RS2560', 'constructor'])
        await target().refuses(token(target(), alg, rightKey()), 'algorithm_not_allowed');
    });
  });

  describe('a provider key published without its alg', () => {
    const target = attack({
      prepare(provider) {
        const { alg: _alg, ...jwk } = provider.key.jwk;
        provider.keys = [{ ...provider.key, jwk }];
      },
    });

    it('[A10] an RS256 token of that key is accepted', async () => {
      await target().accepts(await target().provider.token());
    });

    it('[A10] the token cannot choose another algorithm for the key', async () => {
      const { key } = target().provider;
      const pem = key.publicKey.export({ format: 'pem', type: 'spki' });
      await target().refuses(token(target(), 'HS256', hmac('sha256', pem)), 'algorithm_not_allowed');
      await target().refuses(token(target(), 'PS256', rsa(key, 'sha256', true)), 'algorithm_not_allowed');
      await target().refuses(token(target(), 'RS512', rsa(key, 'sha512')), 'algorithm_not_allowed');
    });
  });

  describe('several allowed algorithms', () => {
    const target = attack({ settings: { ALLOWED_ALGORITHMS: 'RS256,RS512,PS256' } });

    it('[A11] a key published for RS256 verifies RS256 only', async () => {
      const { key } = target().provider;
      await target().accepts(token(target(), 'RS256', rsa(key, 'sha256')));
      await target().refuses(token(target(), 'RS512', rsa(key, 'sha512')), 'key_unknown');
      await target().refuses(token(target(), 'PS256', rsa(key, 'sha256', true)), 'key_unknown');
    });
  });

  /** The cheap check in full for HS256, and only the answer for its longer siblings. */
  async function refusesSecret(target: Attacked, secret: string | Buffer): Promise<void> {
    await target.refuses(token(target, 'HS256', hmac('sha256', secret)), 'algorithm_not_allowed');
    for (const alg of ['HS384', 'HS512'] as const)
      await target.refuses(token(target, alg, hmac(hashes[alg], secret)), 'algorithm_not_allowed');
  }

  /** Every text or bytes that a confused verifier could take for a shared secret. */
  async function publicForms({ publicKey, jwk, ...key }: ProviderKey): Promise<(string | Buffer)[]> {
    const spki = publicKey.export({ format: 'pem', type: 'spki' }) as string;
    const certificate = await certificateOf({ publicKey, jwk, ...key });
    return [
      spki,
      publicKey.export({ format: 'pem', type: 'pkcs1' }) as string,
      spki.trimEnd(),
      spki.replaceAll('\n', ''),
      spki.replaceAll('\n', '\r\n'),
      ` ${spki}`,
      `\ufeff${spki}`,
      `# the key of the provider\n${spki}`,
      spki.replace(/-----.*-----|\n/g, ''),
      publicKey.export({ format: 'der', type: 'spki' }),
      publicKey.export({ format: 'der', type: 'pkcs1' }),
      JSON.stringify(jwk),
      JSON.stringify({ keys: [jwk] }),
      JSON.stringify(publicKey.export({ format: 'jwk' })),
      String(jwk.n),
      Buffer.from(String(jwk.n), 'base64url'),
      certificate.toString(),
      certificate.raw,
      certificate.raw.toString('base64'),
      base64url(spki),
    ];
  }
}
