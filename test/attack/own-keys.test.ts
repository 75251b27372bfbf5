import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { calculateJwkThumbprint } from 'jose';
import { OperatorError } from '../../src/base/errors.ts';
import type { SigningKeyRecord } from '../../src/storage/port.ts';
import { seal, unseal } from '../../src/tokens/secrets.ts';
import { createSigningKey, openSigningKey, type SigningAlgorithm } from '../../src/tokens/signing-key.ts';

const sealingKey = new Uint8Array(randomBytes(32));

const newRecord = (algorithm: SigningAlgorithm = 'RS256') =>
  createSigningKey(algorithm, sealingKey, { createdAt: 1, signsFrom: 2 });
const open = (record: SigningKeyRecord) => openSigningKey(record, sealingKey);
const refuses = (record: SigningKeyRecord, message: RegExp) =>
  assert.throws(
    () => open(record),
    (error) => error instanceof OperatorError && message.test(error.message),
  );

for (const [algorithm, members] of [
  ['RS256', ['e', 'kty', 'n']],
  ['ES256', ['crv', 'kty', 'x', 'y']],
  ['EdDSA', ['crv', 'kty', 'x']],
] as const)
  it(`[B88] a stored key for ${algorithm} opens again and shows only its public members`, async () => {
    const record = await newRecord(algorithm);
    const key = open(record);
    assert.equal(key.kid, record.kid);
    assert.deepEqual(Object.keys(key.publicJwk).sort(), [...members, 'alg', 'kid', 'use'].sort());
    assert.equal(key.kid, await calculateJwkThumbprint(key.publicJwk));
    assert.equal(record.publicJwk, JSON.stringify(key.publicJwk));
  });

it('a sealed box opens only unchanged, with its own key and context', () => {
  const plain = randomBytes(100);
  const box = seal(sealingKey, plain, 'here');
  assert.deepEqual(unseal(sealingKey, box, 'here'), plain);
  assert.equal(unseal(sealingKey, box, 'there'), null);
  assert.equal(unseal(randomBytes(32), box, 'here'), null);
  for (let at = 0; at < box.length; at += 1) {
    const changed = Buffer.from(box);
    changed[at] = (changed[at] as number) ^ 1;
    assert.equal(unseal(sealingKey, changed, 'here'), null, `byte ${at}`);
  }
});

it('a box that is too short does not open', () => {
  for (const length of [0, 1, 11, 12, 27])
    assert.equal(unseal(sealingKey, Buffer.alloc(length), 'here'), null);
});

it('[C109] a sealed key does not open under the kid of another', async () => {
  const [mine, other] = [await newRecord(), await newRecord()];
  refuses({ ...mine, sealedPrivateKey: other.sealedPrivateKey }, /cannot be decrypted/);
});

it('[C109] a key sealed under a wrong kid is refused', async () => {
  const record = await newRecord();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const der = privateKey.export({ format: 'der', type: 'pkcs8' });
  const sealedPrivateKey = seal(sealingKey, der, `signing-key/${record.kid}`);
  refuses({ ...record, sealedPrivateKey }, /does not match its id/);
  refuses({ ...record, algorithm: 'PS256' }, /does not match its id/);
});
