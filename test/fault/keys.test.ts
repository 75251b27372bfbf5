import assert from 'node:assert/strict';
import { createPublicKey, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { exportJWK } from 'jose';
import { answerText } from '../support/faults/hostile-answers.ts';
import { assertRefused } from '../support/http/refusals.ts';
import { deployment } from '../support/services/deployment.ts';
import { keysMetric, refreshKeys } from '../support/services/provider-keys.ts';
import { makeKey, type ProviderKey } from '../support/tokens/provider.ts';
import { primesOf, selfSignedToken, textbookKey } from './textbook-rsa.ts';

const pair = deployment({ hasKeys: true });

/** The provider publishes these keys, and the service has fetched them. */
async function publish(keys: readonly unknown[]): Promise<void> {
  pair().provider.answer = answerText(JSON.stringify({ keys }));
  await refreshKeys(pair());
}

const signedBy = (key: ProviderKey) => pair().provider.token({}, { kid: key.kid }, key);

/** Published beside a good key, `bad` verifies nothing and does no harm; `alarms` is how many are worth an alarm. */
async function isIgnored(bad: unknown, token: string | null, alarms: number): Promise<void> {
  const good = pair().provider.key;
  await publish([good.jwk, bad]);
  assert.equal((await pair().me(await signedBy(good))).status, 200, 'the good key works');
  if (token !== null) assertRefused(await pair().me(token), 'key_unknown', token);
  assert.equal(await keysMetric(pair(), 'vestibule_jwks_usable_keys'), 1);
  assert.equal(await keysMetric(pair(), 'vestibule_jwks_alarming_keys'), alarms);
}

describe('control: good keys', () => {
  it('two keys both verify, without an alarm', async () => {
    const other = await makeKey();
    await publish([pair().provider.key.jwk, other.jwk]);
    for (const key of [pair().provider.key, other])
      assert.equal((await pair().me(await signedBy(key))).status, 200);
    assert.equal(await keysMetric(pair(), 'vestibule_jwks_usable_keys'), 2);
    assert.equal(await keysMetric(pair(), 'vestibule_jwks_alarming_keys'), 0);
  });

  for (const [what, changes] of Object.entries<Record<string, unknown>>({
    'no use': { use: undefined },
    'no algorithm': { alg: undefined },
    'the operation verify': { key_ops: ['verify'] },
    'unknown members': { x5t: 'x', 'https://example.org': [1] },
  })) {
    it(`a key with ${what} verifies`, async () => {
      const key = await makeKey();
      await publish([{ ...key.jwk, ...changes }]);
      assert.equal((await pair().me(await signedBy(key))).status, 200);
    });
  }
});

describe('two keys with the same kid', () => {
  it('[B72] are both unused; other keys verify', async () => {
    const [one, other] = [await makeKey('twice'), await makeKey('twice')];
    const good = pair().provider.key;
    await publish([one.jwk, good.jwk, other.jwk]);
    for (const key of [one, other]) {
      const token = await signedBy(key);
      assertRefused(await pair().me(token), 'key_unknown', token);
    }
    assert.equal((await pair().me(await signedBy(good))).status, 200);
    assert.equal(await keysMetric(pair(), 'vestibule_jwks_alarming_keys'), 2);
  });

  it('[B72] make the kid unusable even when one of them is invalid', async () => {
    const key = await makeKey();
    await isIgnored({ kty: 'oct', k: 'c2VjcmV0', kid: key.kid }, await signedBy(key), 1);
    await publish([pair().provider.key.jwk, key.jwk, { kty: 'oct', k: 'c2VjcmV0', kid: key.kid }]);
    const token = await signedBy(key);
    assertRefused(await pair().me(token), 'key_unknown', token);
  });
});

describe('keys that must not be published', () => {
  it('[B74] a symmetric key is ignored and counted as alarming', () =>
    isIgnored(
      { kty: 'oct', kid: 'shared', k: Buffer.alloc(32, 7).toString('base64url'), alg: 'HS256' },
      null,
      1,
    ));

  it('[B74] a private key is ignored and counted as alarming', async () => {
    const key = await makeKey();
    const jwk = { ...(await exportJWK(key.privateKey)), kid: key.kid, use: 'sig', alg: 'RS256' };
    await isIgnored(jwk, await signedBy(key), 1);
  });

  it('[B74] the alarm is logged without the key', async () => {
    const alarms = pair()
      .service.logLines()
      .filter(({ msg }) => msg === 'provider publishes keys that must not be used');
    assert.ok(alarms.length > 0);
    for (const { faults } of alarms) assert.match(JSON.stringify(faults), /^\["[a-z_]+"(,"[a-z_]+")*\]$/);
    assert.ok(!JSON.stringify(alarms).includes(Buffer.alloc(32, 7).toString('base64url')));
  });
});

describe('keys for other purposes', () => {
  const others: Record<string, Record<string, unknown>> = {
    'the use enc': { use: 'enc' },
    'the operation encrypt': { use: undefined, key_ops: ['encrypt'] },
    'the operation sign': { use: undefined, key_ops: ['sign'] },
    'operations beside verify': { use: undefined, key_ops: ['verify', 'encrypt'] },
    'no operation': { use: undefined, key_ops: [] },
    'another algorithm': { alg: 'PS512' },
    'an algorithm for encryption': { alg: 'RSA-OAEP-256' },
    'an algorithm in small letters': { alg: 'rs256' },
    'a use that is a list': { use: ['sig'] },
    'a use that is a number': { use: 1 },
    'a use that is null': { use: null },
    'an algorithm that is a list': { alg: ['RS256'] },
    'an algorithm that is a number': { alg: 256 },
    'an algorithm that is null': { alg: null },
    'operations that are a string': { use: undefined, key_ops: 'verify' },
    'operations that are an object': { use: undefined, key_ops: { verify: true } },
    'operations that are null': { use: undefined, key_ops: null },
  };
  for (const [what, changes] of Object.entries(others)) {
    it(`[B75] a key with ${what} is ignored`, async () => {
      const key = await makeKey();
      await isIgnored({ ...key.jwk, ...changes }, await signedBy(key), 0);
    });
  }
});

describe('keys that are broken', () => {
  const good = () => pair().provider.key.jwk;
  const broken: Record<string, [key: () => unknown, alarms: number]> = {
    'a number that is not base64url': [() => ({ ...good(), kid: 'x', n: '!!!' }), 1],
    'a number with padding': [() => ({ ...good(), kid: 'x', n: `${good().n}==` }), 1],
    'no modulus': [() => ({ ...good(), kid: 'x', n: undefined }), 1],
    'no exponent': [() => ({ ...good(), kid: 'x', e: undefined }), 1],
    'a modulus that is a number': [() => ({ ...good(), kid: 'x', n: 12345 }), 1],
    'an unknown kty': [() => ({ kty: 'AKP', kid: 'x', pub: 'AAAA', alg: 'ML-DSA-44' }), 0],
    'no kty': [() => ({ ...good(), kid: 'x', kty: undefined }), 0],
    'a kid that is a number': [() => ({ ...good(), kid: 7 }), 1],
    'a kid that is null': [() => ({ ...good(), kid: null }), 1],
    'a string instead of a key': [() => 'key', 1],
    'null instead of a key': [() => null, 1],
    'a list instead of a key': [() => [good()], 1],
    'an invalid elliptic curve point': [() => ({ kty: 'EC', crv: 'P-256', kid: 'x', x: 'AA', y: 'AA' }), 0],
  };
  for (const [what, [key, alarms]] of Object.entries(broken)) {
    it(`[B77] ${what} does not affect other keys`, () => isIgnored(key(), null, alarms));
  }

  it('[B77] a valid key for encryption beside the others is ignored', async () => {
    const { publicKey } = await makeKey();
    await isIgnored(
      {
        ...(await exportJWK(createPublicKey(publicKey.export({ format: 'pem', type: 'spki' })))),
        kid: 'x',
        use: 'enc',
      },
      null,
      0,
    );
  });
});

describe('control: generated keys of allowed sizes', () => {
  for (const [bits, count] of [
    [2048, 2],
    [4096, 4],
    [8192, 16],
  ] as const) {
    it(`[B76] a key of ${bits} bits verifies its own signature and no other`, async () => {
      const key = textbookKey('by hand', primesOf(bits, count));
      await publish([pair().provider.key.jwk, key.jwk]);
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
      await isIgnored(key.jwk, key.token(pair().provider.claims()), 1);
    });
  }

  it('[B76] a key of 65536 bits is not used, even with a short signature', async () => {
    const n = Buffer.concat([Buffer.from([0xff]), randomBytes(8_190), Buffer.from([1])]).toString(
      'base64url',
    );
    const jwk = { ...pair().provider.key.jwk, kid: 'size', n };
    await isIgnored(jwk, await pair().provider.token({}, { kid: 'size' }), 1);
  });

  it('[B76] a key with the exponent 1, under which every message is its own signature, is not used', async () => {
    const jwk = { ...textbookKey('one', primesOf(2048)).jwk, e: 'AQ' };
    await isIgnored(jwk, selfSignedToken(jwk, pair().provider.claims()), 1);
    const padded = { ...jwk, e: 'AAAB' };
    await isIgnored(padded, selfSignedToken(padded, pair().provider.claims()), 1);
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
      await isIgnored({ ...key.jwk, e }, key.token(pair().provider.claims()), 1);
    });
  }

  it('[B76] a key with an even modulus is not used', async () => {
    const key = textbookKey('even', [2n, ...primesOf(2050)]);
    await isIgnored(key.jwk, key.token(pair().provider.claims()), 1);
  });

  it('[B76] a key with a modulus of zero is not used', async () => {
    const key = textbookKey('zero', primesOf(2048));
    for (const n of ['AA', Buffer.alloc(256).toString('base64url')])
      await isIgnored({ ...key.jwk, n }, key.token(pair().provider.claims()), 1);
  });
});
