import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { callLine, expectLine } from '../../src/base/thread-line.ts';
import {
  createSigningKey,
  openSigningKey,
  type SigningAlgorithm,
  type SigningKey,
} from '../../src/tokens/signing-key.ts';
import { SigningThreads } from '../../src/tokens/signing-threads.ts';

const sealingKey = new Uint8Array(randomBytes(32));

async function newKey(algorithm: SigningAlgorithm): Promise<SigningKey> {
  return openSigningKey(
    await createSigningKey(algorithm, sealingKey, { createdAt: 0, signsFrom: 0 }),
    sealingKey,
  );
}

function startThreads(t: TestContext, most: number): SigningThreads {
  const threads = new SigningThreads(most);
  t.after(() => threads.stop());
  return threads;
}

function isSignedBy({ algorithm, publicKey }: SigningKey, text: string, signature: string): boolean {
  const hash = algorithm === 'EdDSA' ? null : 'sha256';
  const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
  return verify(hash, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
}

describe('threads that sign', () => {
  it('[C110] whoever asks gets the signature of its own text by its own key, while keys change all the time', async (t) => {
    const threads = startThreads(t, 2);
    const keys = await Promise.all((['RS256', 'ES256', 'EdDSA', 'ES256'] as const).map(newKey));
    const asked = Array.from({ length: 200 }, (_, number) => ({
      text: `text-${number}`,
      key: keys[number % keys.length] as SigningKey,
    }));
    const signatures = await Promise.all(asked.map(({ key, text }) => threads.sign(key, text)));
    for (const [number, { key, text }] of asked.entries()) {
      assert.ok(isSignedBy(key, text, signatures[number] ?? ''), `${text} by ${key.algorithm}`);
    }
  });

  it('one that has ended fails whoever waits for it, and the next signature comes from another', async (t) => {
    const threads = startThreads(t, 1);
    const key = await newKey('ES256');
    // A key that cannot sign is an error on the thread.
    const broken = { ...key, kid: 'broken', privateKey: generateKeyPairSync('x25519').privateKey };
    const ends = await Promise.allSettled([threads.sign(broken, 'text'), threads.sign(key, 'text')]);
    assert.deepEqual(
      ends.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.ok(isSignedBy(key, 'text', await threads.sign(key, 'text')));
  });
});

describe('the line of a thread', () => {
  it('is given to the one with the password, and strangers are hung up on', async (t) => {
    const { address, connected, close } = await expectLine();
    t.after(close);
    const guesser = callLine({ ...address, password: '0'.repeat(64) });
    await once(guesser, 'close');
    const silent = connect(address.path);
    await once(silent, 'connect');
    const thread = callLine(address);
    const line = await connected;
    line.write('text\n');
    assert.equal(String(await once(thread, 'data')), 'text\n');
    await once(silent, 'close');
    await assert.rejects(once(connect(address.path), 'connect'), 'nobody else can call any more');
    line.destroy();
  });
});
