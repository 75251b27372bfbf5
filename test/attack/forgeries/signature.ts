import assert from 'node:assert/strict';
import { constants, createHash, privateEncrypt, sign } from 'node:crypto';
import { it } from 'node:test';
import type { Attack } from '../../support/http/attacked.ts';
import { base64url, forged, partsOf, split, withClaims } from '../../support/tokens/forged-token.ts';
import { makeKey } from '../../support/tokens/provider.ts';

export function signatureForgeries(attack: Attack): void {
  const target = attack();
  const modulusBytes = 256;
  const beyond = 2n ** BigInt(modulusBytes * 8);

  /** The same header and payload under another signature. */
  function resigned(token: string, signature: Buffer): string {
    const [header, payload] = split(token);
    return `${header}.${payload}.${signature.toString('base64url')}`;
  }

  function bytesOf(token: string): Buffer {
    return Buffer.from(split(token)[2], 'base64url');
  }

  function toNumber(bytes: Buffer): bigint {
    return BigInt(`0x${bytes.toString('hex')}`);
  }

  function toBytes(number: bigint): Buffer {
    return Buffer.from(number.toString(16).padStart(modulusBytes * 2, '0'), 'hex');
  }

  function modulus(): bigint {
    return toNumber(Buffer.from(String(target().provider.key.jwk.n), 'base64url'));
  }

  /** A good token with a signature so small that adding the modulus to it does not make it longer. */
  async function tokenWithRoomForModulus(): Promise<string> {
    for (;;) {
      const token = await target().provider.token();
      if (toNumber(bytesOf(token)) + modulus() < beyond) return token;
    }
  }

  it('[A13] a signature that is decoded and encoded again is still accepted', async () => {
    const token = await target().provider.token();
    assert.equal(bytesOf(token).length, modulusBytes);
    await target().accepts(resigned(token, toBytes(toNumber(bytesOf(token)))));
  });

  it('[A13] a signature with any one bit flipped is refused', async () => {
    const token = await target().provider.token();
    for (const bit of [0, 1, 7, 8, 777, 1024, 2040, 2047]) {
      const signature = bytesOf(token);
      signature[bit >> 3] = (signature[bit >> 3] as number) ^ (1 << (bit & 7));
      await target().refuses(resigned(token, signature), 'signature_invalid');
    }
  });

  const zero = Buffer.alloc(1);
  const lengths: Record<string, (signature: Buffer) => Buffer> = {
    'without its last byte': (signature) => signature.subarray(0, -1),
    'without its first byte': (signature) => signature.subarray(1),
    'with a zero byte after it': (signature) => Buffer.concat([signature, zero]),
    'with a zero byte before it': (signature) => Buffer.concat([zero, signature]),
    'written twice': (signature) => Buffer.concat([signature, signature]),
    'written backwards': (signature) => Buffer.from(signature).reverse(),
    'of one byte': () => zero,
  };
  for (const [name, change] of Object.entries(lengths))
    it(`[A13] a signature ${name} is refused`, async () => {
      const token = await target().provider.token();
      await target().refuses(resigned(token, change(bytesOf(token))), 'signature_invalid');
    });

  it('[A13] an empty signature is refused', async () => {
    await target().refuses(resigned(await target().provider.token(), Buffer.alloc(0)), 'token_malformed');
  });

  it('[A13] the numbers 0, 1, n-1, n and 2^2048-1 are refused as signatures', async () => {
    const token = await target().provider.token();
    for (const number of [0n, 1n, modulus() - 1n, modulus(), beyond - 1n])
      await target().refuses(resigned(token, toBytes(number)), 'signature_invalid');
  });

  it('[A13] a valid signature plus or minus the modulus is refused', async () => {
    const token = await tokenWithRoomForModulus();
    await target().accepts(token);
    const signature = toNumber(bytesOf(token));
    await target().refuses(resigned(token, toBytes(signature + modulus())), 'signature_invalid');
    await target().refuses(resigned(token, toBytes(modulus() - signature)), 'signature_invalid');
  });

  it('[A13] a signature of the right key with other padding is refused', async () => {
    const token = await target().provider.token();
    const input = split(token).slice(0, 2).join('.');
    const key = target().provider.key.privateKey;
    const digest = createHash('sha256').update(input).digest();
    const pss = sign('sha256', Buffer.from(input), { key, padding: constants.RSA_PKCS1_PSS_PADDING });
    // PKCS #1 padding around the bare digest, without the structure that names the hash.
    const bare = privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, digest);
    const otherHash = sign('sha512', Buffer.from(input), key);
    for (const signature of [pss, bare, otherHash])
      await target().refuses(resigned(token, signature), 'signature_invalid');
  });

  it("[A13] a signature of another key with the provider's kid is refused", async () => {
    const { provider } = target();
    const stranger = await makeKey(provider.key.kid);
    await target().refuses(forged(stranger, provider.claims()), 'signature_invalid');
  });

  it('[A16] a changed payload with the old signature is refused', async () => {
    const { provider } = target();
    const token = await provider.token();
    const { claims } = partsOf(token);
    const exp = Number(claims.exp) + 1;
    for (const change of [{ sub: 'somebody-else' }, { exp }, { scope: 'admin' }, { extra: true }])
      await target().refuses(withClaims(token, change), 'signature_invalid');
    const [header, , signature] = split(token);
    const spaced = `${header}.${base64url(`${JSON.stringify(claims)} `)}.${signature}`;
    await target().refuses(spaced, 'signature_invalid');
  });

  it('[A16] a changed header with the old signature is refused', async () => {
    const { kid } = target().provider.key;
    const [, payload, signature] = split(await target().provider.token());
    for (const header of [{ alg: 'RS256', kid, typ: 'JWT' }, { kid, alg: 'RS256' }, { alg: 'RS256' }])
      await target().refuses(`${base64url(header)}.${payload}.${signature}`, 'signature_invalid');
  });

  it('[A16] the signature of another valid token is refused', async () => {
    const [first, second] = [await target().provider.token(), await target().provider.token()];
    await target().refuses(resigned(first, bytesOf(second)), 'signature_invalid');
  });
}
