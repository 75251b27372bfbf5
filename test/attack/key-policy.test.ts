import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { type KeyFault, readKeySet } from '../../src/auth/key-set.ts';
import { makeKey } from '../support/tokens/provider.ts';

type Jwk = Record<string, unknown>;

const good = await makeKey('good');
const other = await makeKey('other');
const read = (...keys: unknown[]) => {
  const set = readKeySet({ keys }, ['RS256']);
  return typeof set === 'string' ? null : set;
};
const kids = async (...keys: unknown[]) => (await read(...keys))?.keys.map(({ kid }) => kid) ?? null;

/** The big-endian number with this many bits, odd, and otherwise random. */
function modulus(bits: number, lastByte = 1): string {
  const bytes = randomBytes(Math.ceil(bits / 8));
  const top = (bits - 1) % 8;
  bytes[0] = ((bytes[0] as number) & ((1 << top) - 1)) | (1 << top);
  bytes[bytes.length - 1] = ((bytes.at(-1) as number) & 0xfe) | lastByte;
  return bytes.toString('base64url');
}

it('[B77] a key of every allowed form is used and found by its kid', async () => {
  const { alg: _alg, use: _use, ...plain } = good.jwk;
  for (const jwk of [good.jwk, plain, { ...plain, key_ops: ['verify'] }, { ...good.jwk, ext: true, x: 1 }])
    assert.deepEqual(await kids(jwk), ['good']);
  for (const bits of [2048, 3072, 4096, 8192])
    assert.deepEqual(await kids({ ...good.jwk, n: modulus(bits) }), ['good']);
  for (const e of ['Aw', 'AQAB', 'AAEAAQ', '_____w'])
    assert.deepEqual(await kids({ ...good.jwk, e }), ['good']);
  const set = await read(plain);
  assert.ok(set?.find('good', 'RS256'));
  assert.equal(set?.find('good', 'RS512'), undefined, 'an algorithm that is not allowed has no key');
});

const { n, e, ...withoutNumbers } = good.jwk;
/** The fault of a key, and the reported reason: null if it is not reported. */
const unusable: Record<string, [key: unknown, alarm: KeyFault | null]> = {
  'not an object': ['x', 'not_an_object'],
  null: [null, 'not_an_object'],
  'a list': [[good.jwk], 'not_an_object'],
  'a secret': [{ kty: 'oct', k: 'c2VjcmV0', kid: 'good', alg: 'HS256' }, 'symmetric'],
  private: [{ ...good.privateKey.export({ format: 'jwk' }), kid: 'good' }, 'private'],
  'of a kid that is not a string': [{ ...good.jwk, kid: 1 }, 'kid_invalid'],
  'of an empty kid': [{ ...good.jwk, kid: '' }, 'kid_invalid'],
  'for encryption': [{ ...good.jwk, use: 'enc' }, null],
  'for a use that is not a string': [{ ...good.jwk, use: ['sig'] }, null],
  'for other operations': [{ ...good.jwk, key_ops: ['encrypt', 'sign'] }, null],
  'for operations in a string': [{ ...good.jwk, key_ops: 'verify' }, null],
  'for another algorithm': [{ ...good.jwk, alg: 'PS512' }, null],
  'for an alg that is not a string': [{ ...good.jwk, alg: ['RS256'] }, null],
  'of an unknown kty': [{ ...good.jwk, kty: 'XYZ' }, null],
  'without a modulus': [{ ...withoutNumbers, e }, 'unreadable'],
  'without an exponent': [{ ...withoutNumbers, n }, 'unreadable'],
  'of a modulus that is not a string': [{ ...good.jwk, n: 1 }, 'unreadable'],
  'of a modulus of zero': [{ ...good.jwk, n: 'AAAA' }, 'unreadable'],
  'of 512 bits': [{ ...good.jwk, n: modulus(512) }, 'modulus_size'],
  'of 1024 bits': [{ ...good.jwk, n: modulus(1024) }, 'modulus_size'],
  'of 2047 bits': [{ ...good.jwk, n: modulus(2047) }, 'modulus_size'],
  'of 1024 bits behind zeros': [{ ...good.jwk, n: `${'A'.repeat(180)}${modulus(1024)}` }, 'modulus_size'],
  'of 8193 bits': [{ ...good.jwk, n: modulus(8193) }, 'modulus_size'],
  'of 16384 bits': [{ ...good.jwk, n: modulus(16_384) }, 'modulus_size'],
  'of an even modulus': [{ ...good.jwk, n: modulus(2048, 0) }, 'modulus_even'],
  'of the exponent 1': [{ ...good.jwk, e: 'AQ' }, 'exponent'],
  'of the exponent 1 behind zeros': [{ ...good.jwk, e: 'AAAB' }, 'exponent'],
  'of the exponent 2': [{ ...good.jwk, e: 'Ag' }, 'exponent'],
  'of an even exponent': [{ ...good.jwk, e: 'AQAA' }, 'exponent'],
  'of an exponent of five bytes': [{ ...good.jwk, e: 'AQAAAAE' }, 'exponent'],
};
for (const [name, [key, alarm]] of Object.entries(unusable))
  it(`[B74-77] a key that is ${name} is not used; the valid one beside it is`, async () => {
    assert.equal(await read(key), null, 'without a usable key it is no key set');
    const set = await read(key, other.jwk);
    const used = set?.keys.map(({ kid }) => kid);
    assert.deepEqual(used, ['other']);
    assert.deepEqual(set?.alarms, alarm === null ? [] : [alarm]);
    assert.equal(set?.find('good', 'RS256'), undefined);
  });

it('[B72] two keys with the same kid are both unused, whatever else is wrong with one', async () => {
  const namesake = { ...other.jwk, kid: 'good' };
  assert.equal(await read(good.jwk, namesake), null);
  assert.deepEqual(await kids(good.jwk, namesake, other.jwk), ['other']);
  assert.deepEqual(await kids(good.jwk, { ...namesake, use: 'enc' }, other.jwk), ['other']);
  assert.deepEqual((await read(good.jwk, namesake, other.jwk))?.alarms, ['kid_duplicate', 'kid_duplicate']);
});

it('[B77] a key set without usable keys is refused with the faults of its keys', () => {
  const even = { ...good.jwk, e: 'Ag' };
  assert.match(String(readKeySet({ keys: [even, { kty: 'oct' }] }, ['RS256'])), /exponent, symmetric/);
});

it('[B77] a key with another spelling of its curve point is not used', () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = publicKey.export({ format: 'jwk' }) as { x: string };
  const readEc = (key: object) => readKeySet({ keys: [key] }, ['ES256']);
  assert.equal(typeof readEc(jwk), 'object');
  for (const x of [`${jwk.x}=`, `${jwk.x}!!`, ` ${jwk.x}`, Buffer.from(jwk.x, 'base64url').toString('hex')])
    assert.equal(typeof readEc({ ...jwk, x }), 'string', x);
});

it('[B67] a document without a list of keys, or with too many, is no key set', async () => {
  const documents = [
    null,
    'x',
    1,
    [],
    {},
    { keys: null },
    { keys: {} },
    { keys: { 0: good.jwk, length: 1 } },
    { keys: [] },
  ];
  for (const document of documents) assert.equal(typeof readKeySet(document, ['RS256']), 'string');
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ ...good.jwk, kid: `k${index}` }));
  assert.equal((await read(...many(100)))?.keys.length, 100);
  assert.equal(await read(...many(101)), null);
});

it('[A31] a key without a kid verifies tokens without a kid when it is the only key', async () => {
  const { kid: _kid, ...nameless } = good.jwk;
  assert.ok((await read(nameless))?.find(undefined, 'RS256'));
  assert.equal((await read(nameless, other.jwk))?.find(undefined, 'RS256'), undefined);
  assert.equal((await read(nameless))?.find('good', 'RS256'), undefined);
});

it('[A49] two key sets have equal fingerprints only when their usable keys are the same', async () => {
  const fingerprint = async (...keys: Jwk[]) => (await read(...keys))?.fingerprint;
  const [one, two] = [good.jwk as Jwk, other.jwk as Jwk];
  assert.equal(await fingerprint(one, two), await fingerprint(two, { kty: 'oct' }, one));
  const different = [
    await fingerprint(one),
    await fingerprint(one, two),
    await fingerprint({ ...two, kid: 'good' }),
  ];
  assert.equal(new Set(different).size, different.length, 'a new key under an old name is another key');
});
