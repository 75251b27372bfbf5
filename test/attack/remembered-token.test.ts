import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it } from 'node:test';
import { digestOf, TokenCache } from '../../src/auth/authenticate.ts';
import type { KeySource } from '../../src/auth/jws.ts';
import { type KeySet, readKeySet } from '../../src/auth/key-set.ts';
import { createVerifier } from '../../src/auth/verifier.ts';
import type { Caller } from '../../src/base/caller.ts';
import { Refusal } from '../../src/base/errors.ts';
import { createKeyedDigest } from '../../src/base/keyed-digest.ts';
import { createNameCaller, createRevocationNames } from '../../src/consumer/pseudonym.ts';
import { MovableClock } from '../support/services/movable-clock.ts';
import { trustedIssuer } from '../support/tokens/claims-policy.ts';
import { forged, withBrokenSignature, withClaims } from '../support/tokens/forged-token.ts';
import { makeKey } from '../support/tokens/provider.ts';

const key = await makeKey();
const set = readKeySet({ keys: [key.jwk] }, ['RS256']) as KeySet;

const names = createRevocationNames(createKeyedDigest(new Uint8Array(32)));
const nameCaller = createNameCaller(new Uint8Array(32), names, (issuer) => issuer);
const anywhere = { address: '', isSuspect: () => false };

/** A cache over the real verifier. It counts the verifications; the test controls the keys. */
function remembering(maxPlaces = 100) {
  const clock = new MovableClock();
  const state = { generation: 1 as number | null, verified: 0, whileFinding: () => {} };
  const keys: KeySource = {
    get generation() {
      return state.generation;
    },
    async find(kid, algorithm) {
      state.whileFinding();
      return set.find(kid, algorithm);
    },
  };
  const verify = createVerifier([trustedIssuer(keys, { issuers: ['i'], audiences: ['a', 'b'] })], clock);
  const cache = new TokenCache<Caller>({
    verify(token, origin) {
      state.verified += 1;
      return verify(token, origin);
    },
    callerOf: ({ claims }, known) => nameCaller(claims, known),
    dataOf: ({ subject, scopes }) => [subject, scopes],
    maxPlaces,
    clock,
  });
  return {
    state,
    clock,
    /** `name` is the key of the cache entry. */
    async ask(token: string, name = token) {
      const digest = digestOf(name);
      return cache.recall(digest) ?? cache.examine(digest, token, anywhere);
    },
  };
}

const seconds = () => Math.floor(Date.now() / 1000);
const token = (claims: object = {}) =>
  forged(key, { iss: 'i', aud: 'a', sub: 'x', exp: seconds() + 60, ...claims });
const refusal = (code: string) => (error: unknown) => error instanceof Refusal && error.code === code;

it('[A49] a verified token is not verified again', async () => {
  const { state, ask } = remembering();
  const good = token();
  assert.equal(await ask(good), await ask(good));
  assert.equal(state.verified, 1);
});

it('[A49] a token that is mostly the same as a remembered one is verified itself', async () => {
  const { state, ask } = remembering();
  const good = token();
  await ask(good);
  await assert.rejects(ask(withBrokenSignature(good)), refusal('signature_invalid'));
  await assert.rejects(ask(withClaims(good, { sub: 'y' })), refusal('signature_invalid'));
  assert.equal((await ask(token({ sub: 'y' }))).caller.subject, 'y');
  assert.equal(state.verified, 4);
});

it('[A49] a token whose digest begins like a remembered one is verified itself', async () => {
  const { ask } = remembering();
  const [one, other] = textsWithDigestsThatBeginAlike();
  assert.equal((await ask(token({ sub: 'x' }), one)).caller.subject, 'x');
  assert.equal((await ask(token({ sub: 'y' }), other)).caller.subject, 'y');
});

/** Among some hundred thousand texts there are two whose SHA-256 agree in the first 30 bits. */
function textsWithDigestsThatBeginAlike(): readonly [string, string] {
  const seen = new Map<number, string>();
  for (let count = 0; ; count += 1) {
    const text = `token ${count}`;
    const start = createHash('sha256').update(text).digest().readUInt32BE() >>> 2;
    const earlier = seen.get(start);
    if (earlier !== undefined) return [earlier, text];
    seen.set(start, text);
  }
}

it('tokens of one caller share one caller object unless their claims differ', async () => {
  const { ask } = remembering();
  const { caller } = await ask(token({ jti: 'one', scope: 'read' }));
  assert.equal((await ask(token({ jti: 'two', scope: 'read' }))).caller, caller);
  const others = { scope: 'read write', sid: 's', client_id: 'x', aud: 'b', sub: 'y' };
  for (const [name, value] of Object.entries(others)) {
    const other = (await ask(token({ scope: 'read', [name]: value }))).caller;
    assert.notDeepEqual(other, caller, name);
    assert.equal((await ask(token({ jti: 'three', scope: 'read', [name]: value }))).caller, other, name);
  }
  const later = await ask(token({ scope: 'read' }));
  assert.deepEqual(later.caller, caller, 'nothing of the others is left');
});

for (const claim of ['nbf', 'iat'])
  it(`[A49] a remembered token is refused once expired, or before its ${claim}`, async () => {
    const { clock, ask } = remembering();
    const good = token({ [claim]: seconds() });
    await ask(good);
    clock.stepWallClock(-60_000);
    await assert.rejects(ask(good), refusal('token_not_yet_valid'));
    clock.stepWallClock(130_000);
    await assert.rejects(ask(good), refusal('token_expired'));
  });

it('[A49] a remembered token is verified again when the keys have changed', async () => {
  const { state, ask } = remembering();
  const good = token();
  await ask(good);
  state.generation = 2;
  await ask(good);
  assert.equal(state.verified, 2);
});

it('[A49] a recently used token is verified again when the keys have changed, and remembered once more', async () => {
  const { state, ask } = remembering();
  const good = token();
  for (let times = 0; times < 3; times += 1) await ask(good);
  state.generation = 2;
  for (let times = 0; times < 3; times += 1) await ask(good);
  assert.equal(state.verified, 2);
});

it('[A49] a recently used token still expires on time', async () => {
  const { clock, ask } = remembering();
  const good = token({ exp: seconds() + 5 });
  for (let times = 0; times < 3; times += 1) await ask(good);
  clock.stepWallClock(60_000);
  await assert.rejects(ask(good), refusal('token_expired'));
});

it('[A49] while no keys are usable, tokens are neither remembered nor recalled', async () => {
  const { state, ask } = remembering();
  const good = token();
  await ask(good);
  state.generation = null;
  for (const verified of [2, 3]) {
    await ask(good);
    assert.equal(state.verified, verified);
  }
});

it('[A49] a token is verified again if the keys changed whenever its key was looked for', async () => {
  const { state, ask } = remembering();
  state.whileFinding = () => {
    state.generation = Number(state.generation) + 1;
  };
  const good = token();
  await ask(good);
  await ask(good);
  assert.equal(state.verified, 2);
});

it('a refusal is not remembered', async () => {
  const { state, ask } = remembering();
  const bad = withBrokenSignature(token());
  for (const times of [1, 2]) {
    await assert.rejects(ask(bad), refusal('signature_invalid'));
    assert.equal(state.verified, times);
  }
});

it('the number of remembered tokens is limited; those in use stay', async () => {
  const { state, ask } = remembering(4);
  const exp = seconds() + 600;
  const [first = '', ...others] = Array.from({ length: 8 }, (_, index) => token({ sub: `s${index}`, exp }));
  await ask(first);
  for (const other of others) {
    await ask(other);
    await ask(first);
  }
  assert.equal(state.verified, 8, 'the one in use was verified once');
  await ask(others[0] as string);
  assert.equal(state.verified, 9, 'an old one was forgotten');
});
