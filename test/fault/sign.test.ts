import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import { describe, it } from 'node:test';
import {
  createSigningKey,
  openSigningKey,
  type SigningAlgorithm,
  type SigningKey,
  sign,
} from '../../src/tokens/signing-key.ts';

const sealingKey = new Uint8Array(randomBytes(32));

async function newKey(algorithm: SigningAlgorithm): Promise<SigningKey> {
  return openSigningKey(
    await createSigningKey(algorithm, sealingKey, { createdAt: 0, signsFrom: 0 }),
    sealingKey,
  );
}

function isSignedBy({ algorithm, publicKey }: SigningKey, text: string, signature: string): boolean {
  const hash = algorithm === 'EdDSA' ? null : 'sha256';
  const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
  return verify(hash, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
}

describe('signing', () => {
  it('[C110] each of many concurrent requests gets the signature of its own text by its own key', async () => {
    const keys = await Promise.all((['RS256', 'ES256', 'EdDSA', 'ES256'] as const).map(newKey));
    const asked = Array.from({ length: 200 }, (_, number) => ({
      text: `text-${number}`,
      key: keys[number % keys.length] as SigningKey,
    }));
    const signatures = await Promise.all(asked.map(({ key, text }) => sign(key, text)));
    for (const [number, { key, text }] of asked.entries()) {
      assert.ok(isSignedBy(key, text, signatures[number] ?? ''), `${text} by ${key.algorithm}`);
    }
  });

  it('a key that cannot sign gives an error; the next signature works', async () => {
    const key = await newKey('ES256');
    const broken = { ...key, privateKey: generateKeyPairSync('x25519').privateKey };
    await assert.rejects(sign(broken, 'text'));
    assert.ok(isSignedBy(key, 'text', await sign(key, 'text')));
  });
});
