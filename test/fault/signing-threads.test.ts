import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../../src/base/errors.ts';
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

function startThreads(t: TestContext, most: number, failures: unknown[] = []): SigningThreads {
  const threads = new SigningThreads({ most, onFailure: (error) => failures.push(error) });
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
    // Some before the threads are there, some while they start, and some when they have.
    const signatures = await Promise.all(
      asked.map(async ({ key, text }, number) => {
        await sleep(number);
        return threads.sign(key, text);
      }),
    );
    for (const [number, { key, text }] of asked.entries()) {
      assert.ok(isSignedBy(key, text, signatures[number] ?? ''), `${text} by ${key.algorithm}`);
    }
  });

  it('one that has ended tells whoever waits for it to come again, and the next signature is made by another', async (t) => {
    const failures: unknown[] = [];
    const threads = startThreads(t, 1, failures);
    const key = await newKey('ES256');
    // A key that cannot sign is an error on the thread.
    const broken = { ...key, kid: 'broken', privateKey: generateKeyPairSync('x25519').privateKey };
    const ends = await Promise.allSettled([threads.sign(broken, 'text'), threads.sign(key, 'text')]);
    for (const end of ends) {
      assert.ok(end.status === 'rejected' && end.reason instanceof Refusal);
      assert.equal(end.reason.code, 'signing_overloaded');
    }
    assert.equal(failures.length, 1);
    assert.ok(isSignedBy(key, 'text', await threads.sign(key, 'text')));
  });

  it('once stopped, also while they start, none is left and none begins', async (t) => {
    const failures: unknown[] = [];
    const threads = startThreads(t, 2, failures);
    const key = await newKey('ES256');
    const early = assert.rejects(threads.sign(key, 'text'), Refusal);
    await threads.stop();
    await early;
    await assert.rejects(threads.sign(key, 'text'), Refusal);
    assert.deepEqual(failures, []);
  });
});

describe('the line of a thread', () => {
  it('is given to the one with the password, and strangers are hung up on', async (t) => {
    const { address, connected, close } = await expectLine();
    t.after(close);
    t.after(() => connected.then((line) => line.destroy()));
    const guesser = callLine({ ...address, password: '0'.repeat(64) }).resume();
    t.after(() => guesser.destroy());
    const end = await Promise.race([
      once(guesser, 'end').then(() => 'hung up on'),
      connected.then(() => 'let in'),
    ]);
    assert.equal(end, 'hung up on');
    const silent = connect(address.path);
    await once(silent, 'connect');
    const thread = callLine(address);
    t.after(() => thread.destroy());
    const line = await connected;
    line.write('text\n');
    assert.equal(String(await once(thread, 'data')), 'text\n');
    await once(silent, 'close');
    await assert.rejects(once(connect(address.path), 'connect'), 'nobody else can call any more');
  });
});
