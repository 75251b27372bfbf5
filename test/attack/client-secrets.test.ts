import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { createSecret, digestSecret, findSecret, secretSlots } from '../../src/tokens/secrets.ts';

const key = randomBytes(32);
const matchesSecret = (byKey: Uint8Array, secret: string, stored: readonly Uint8Array[]) =>
  findSecret(
    digestSecret(byKey, secret),
    stored.map((digest) => ({ digest })),
  ) !== null;

/** Stored digests that record each access. */
function watched(digests: readonly Uint8Array[]) {
  const looks: number[] = [];
  const list = new Proxy(
    digests.map((digest) => ({ digest })),
    {
      get(target, name) {
        if (typeof name === 'string' && /^\d+$/.test(name)) looks.push(Number(name));
        return Reflect.get(target, name);
      },
    },
  );
  return { list, looks };
}

it('a secret matches its own digest in any slot', () => {
  const secret = createSecret();
  const digest = digestSecret(key, secret);
  const other = digestSecret(key, createSecret());
  for (const stored of [[digest], [digest, other], [other, digest]])
    assert.equal(matchesSecret(key, secret, stored), true);
  for (const stored of [[], [other], [other, other]]) assert.equal(matchesSecret(key, secret, stored), false);
});

it('[C98] no secret matches a client without secrets', () => {
  for (const secret of ['', '\0', 'vsec_', createSecret()])
    for (const zero of [new Uint8Array(32), key, new Uint8Array()]) {
      assert.equal(matchesSecret(zero, secret, []), false);
      assert.equal(matchesSecret(zero, secret, [new Uint8Array()]), false);
      assert.equal(matchesSecret(key, secret, [zero]), false);
    }
});

it('[C99] every check compares the same number of slots, whatever is stored', () => {
  const digests = Array.from({ length: 3 }, () => digestSecret(key, createSecret()));
  for (const stored of [[], digests.slice(0, 1), digests.slice(0, 2), digests]) {
    const { list, looks } = watched(stored);
    findSecret(digestSecret(key, createSecret()), list);
    assert.deepEqual(looks, [...Array(secretSlots).keys()]);
  }
});

it('a digest cannot be recomputed without the key', () => {
  const secret = createSecret();
  const digest = Buffer.from(digestSecret(key, secret));
  assert.equal(digest.equals(digestSecret(randomBytes(32), secret)), false);
  assert.equal(digest.equals(createHmac('sha256', '').update(secret).digest()), false);
});
