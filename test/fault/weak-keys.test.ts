import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import type { JWK } from 'jose';
import { answerText } from '../support/faults/hostile-answers.ts';
import { assertRefused } from '../support/http/refusals.ts';
import { deployment } from '../support/services/deployment.ts';
import { keysMetric, refreshKeys } from '../support/services/provider-keys.ts';
import { primesOf, selfSignedToken, textbookKey } from './textbook-rsa.ts';

const pair = deployment({ hasKeys: true });

async function publish(...keys: JWK[]): Promise<void> {
  pair().provider.answer = answerText(JSON.stringify({ keys: [pair().provider.key.jwk, ...keys] }));
  await refreshKeys(pair());
}

/** The signature is valid, so the refusal is about the key. */
async function isTooWeak(jwk: JWK, token: string): Promise<void> {
  await publish(jwk);
  assertRefused(await pair().me(token), 'key_unknown', token);
  assert.equal((await pair().me(await pair().provider.token())).status, 200, 'the good key works');
  assert.equal(await keysMetric(pair(), 'vestibule_jwks_alarming_keys'), 1);
  assert.equal(await keysMetric(pair(), 'vestibule_jwks_usable_keys'), 1);
}

describe('control: generated keys of allowed sizes', () => {
  for (const [bits, count] of [
    [2048, 2],
    [4096, 4],
    [8192, 16],
  ] as const) {
    it(`[B76] a key of ${bits} bits verifies its own signature and no other`, async () => {
      const key = textbookKey('by hand', primesOf(bits, count));
      await publish(key.jwk);
      const token = key.token(pair().provider.claims());
      const reply = await pair().me(token);
      assert.equal(reply.status, 200, reply.text);
      const forged = selfSignedToken(key.jwk, pair().provider.claims());
      assertRefused(await pair().me(forged), 'signature_invalid', forged);
      assert.equal(await keysMetric(pair(), 'vestibule_jwks_alarming_keys'), 0);
    });
  }
});

describe('keys that are too weak or too large', () => {
  for (const [bits, count] of [
    [512, 2],
    [1024, 2],
    [2047, 2],
    [8193, 16],
    [16_384, 32],
  ] as const) {
    it(`[B76] a key of ${bits} bits is not used`, async () => {
      const key = textbookKey('size', primesOf(bits, count));
      await isTooWeak(key.jwk, key.token(pair().provider.claims()));
    });
  }

  it('[B76] a key of 65536 bits is not used, even with a short signature', async () => {
    const n = Buffer.concat([Buffer.from([0xff]), randomBytes(8_190), Buffer.from([1])]).toString(
      'base64url',
    );
    const jwk = { ...pair().provider.key.jwk, kid: 'size', n };
    await isTooWeak(jwk, await pair().provider.token({}, { kid: 'size' }));
  });

  it('[B76] a key with the exponent 1, under which every message is its own signature, is not used', async () => {
    const jwk = { ...textbookKey('one', primesOf(2048)).jwk, e: 'AQ' };
    await isTooWeak(jwk, selfSignedToken(jwk, pair().provider.claims()));
    const padded = { ...jwk, e: 'AAAB' };
    await isTooWeak(padded, selfSignedToken(padded, pair().provider.claims()));
  });

  for (const [what, e] of Object.entries({
    'an exponent of 0': 'AA',
    'an exponent of 2': 'Ag',
    'an even exponent': 'AQAA',
    'an exponent of 2048 bits': Buffer.concat([
      Buffer.from([1]),
      randomBytes(254),
      Buffer.from([1]),
    ]).toString('base64url'),
  })) {
    it(`[B76] a key with ${what} is not used`, async () => {
      const key = textbookKey('exponent', primesOf(2048));
      await isTooWeak({ ...key.jwk, e }, key.token(pair().provider.claims()));
    });
  }

  it('[B76] a key with an even modulus is not used', async () => {
    const key = textbookKey('even', [2n, ...primesOf(2050)]);
    await isTooWeak(key.jwk, key.token(pair().provider.claims()));
  });

  it('[B76] a key with a modulus of zero is not used', async () => {
    const key = textbookKey('zero', primesOf(2048));
    for (const n of ['AA', Buffer.alloc(256).toString('base64url')])
      await isTooWeak({ ...key.jwk, n }, key.token(pair().provider.claims()));
  });
});
