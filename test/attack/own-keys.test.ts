import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { OperatorError } from '../../src/base/errors.ts';
import type { SigningKeyRecord, SigningKeyStore } from '../../src/storage/port.ts';
import { seal, unseal } from '../../src/tokens/seal.ts';
import { openSigningKeys } from '../../src/tokens/signing-keys.ts';

const sealingKey = new Uint8Array(randomBytes(32));

/** A table of signing keys in memory. */
function table(records: SigningKeyRecord[] = []): SigningKeyStore & { readonly records: SigningKeyRecord[] } {
  return {
    records,
    list: async () => records,
    async addFirst(key) {
      if (records.length === 0) records.push(key);
    },
  };
}

async function newRecord(): Promise<SigningKeyRecord> {
  const store = table();
  await openSigningKeys(store, sealingKey, systemClock);
  return store.records[0] as SigningKeyRecord;
}

const open = (record: SigningKeyRecord) => openSigningKeys(table([record]), sealingKey, systemClock);
const refuses = (record: SigningKeyRecord, message: RegExp) =>
  assert.rejects(open(record), (error) => error instanceof OperatorError && message.test(error.message));

it('a key that was made once is opened again', async () => {
  const record = await newRecord();
  const [key] = await open(record);
  assert.equal(key.kid, record.kid);
});

it('what is sealed opens with its own key and context only, and whole', () => {
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

it('a box that is too short to be one is no box', () => {
  for (const length of [0, 1, 11, 12, 27])
    assert.equal(unseal(sealingKey, Buffer.alloc(length), 'here'), null);
});

it('[C109] a sealed key does not open under the name of another one', async () => {
  const [mine, other] = [await newRecord(), await newRecord()];
  await refuses({ ...mine, sealedPrivateKey: other.sealedPrivateKey }, /does not open/);
});

it('[C109] a key is not taken for another one even when it was sealed in its name', async () => {
  const record = await newRecord();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const der = privateKey.export({ format: 'der', type: 'pkcs8' });
  const sealedPrivateKey = seal(sealingKey, der, `signing-key/${record.kid}`);
  await refuses({ ...record, sealedPrivateKey }, /not what its name says/);
  await refuses({ ...record, algorithm: 'PS256' }, /not what its name says/);
});
