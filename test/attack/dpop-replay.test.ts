import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { SeenProofs } from '../../src/auth/dpop/possession.ts';
import { atOnce } from '../support/services/deployment.ts';
import { MovableClock } from '../support/services/movable-clock.ts';
import { me } from '../support/services/service.ts';
import { assertProofRefused, newDpopKey, proofBy, withProof } from '../support/tokens/dpop.ts';
import { attackedService } from './attacked-service.ts';

const target = attackedService();
const uri = `http://127.0.0.1/vestibule${me}`;

describe('replay of a DPoP proof', () => {
  const key = newDpopKey();
  const tokenFor = () => target().provider.token({ cnf: { jkt: key.thumbprint } });
  const proofFor = (token: string) => proofBy(key, { method: 'GET', url: uri, token });
  const accepted = (token: string, proof: string) =>
    target().acceptsRequest(() => withProof(target().url, token, proof));

  it('a proof is refused the second time; a new one is accepted', async () => {
    const token = await tokenFor();
    const proof = proofFor(token);
    await accepted(token, proof);
    for (let times = 0; times < 2; times += 1)
      assertProofRefused(await withProof(target().url, token, proof), 'proof_replayed', null);
    await accepted(token, proofFor(token));
  });

  it('a proof is accepted once when many copies come at the same moment', async () => {
    const token = await tokenFor();
    const proof = proofFor(token);
    const replies = await atOnce(20, () => withProof(target().url, token, proof));
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
  });

  it('another proof of the same key with the same jti is refused', async () => {
    const token = await tokenFor();
    const iat = Math.floor(Date.now() / 1000);
    const [first, second] = [0, 30].map((later) =>
      proofBy(key, { method: 'GET', url: uri, token }, { claims: { jti: 'once', iat: iat + later } }),
    );
    await accepted(token, String(first));
    assertProofRefused(await withProof(target().url, token, String(second)), 'proof_replayed', null);
  });

  it('a proof of another key with the same jti is accepted', async () => {
    const other = newDpopKey();
    const token = await target().provider.token({ cnf: { jkt: other.thumbprint } });
    const proof = proofBy(other, { method: 'GET', url: uri, token }, { claims: { jti: 'once' } });
    await accepted(token, proof);
  });

  it('a proof is accepted after a request with it was refused', async () => {
    const token = await tokenFor();
    const proof = proofFor(token);
    const other = await withProof(target().url, token, proof, { method: 'DELETE' });
    assertProofRefused(other, 'proof_invalid', 'htm');
    await accepted(token, proof);
  });
});

describe('the memory of used proofs', () => {
  /** A clock that the test moves. */
  const clockAt = (now: () => number) => ({ now, monotonic: () => now() - 900_000_000 });
  const digest = (number: number) => createHash('sha256').update(String(number)).digest();

  it('holds a million proofs, refuses one more, and frees them on expiry', () => {
    let nowMs = 1_800_000_000_000;
    const seen = new SeenProofs(clockAt(() => nowMs));
    const first = { digest: randomBytes(32), expiresAt: nowMs + 60_000 };
    assert.equal(seen.use(first), true);
    const buffer = Buffer.alloc(32);
    for (let number = 1; number < 1_000_000; number += 1) {
      // As good as random where it is looked at, and no two are the same.
      buffer.writeUInt32BE(Math.imul(number, 2_654_435_761) >>> 0, 0);
      buffer.writeUInt32BE(Math.imul(number, 2_246_822_519) >>> 0, 4);
      if (number % 20 === 0) nowMs += 1;
      if (!seen.use({ digest: buffer, expiresAt: nowMs + 60_000 })) assert.fail(`${number}`);
    }
    const another = () => seen.use({ digest: randomBytes(32), expiresAt: nowMs + 60_000 });
    assert.throws(another, { code: 'overloaded' });
    assert.equal(seen.use(first), false, 'inside the window it is known');
    assert.equal(seen.size, 1_000_000);
    nowMs += 80_000;
    assert.equal(another(), true);
    assert.equal(seen.size, 1);
  });

  it('forgets expired proofs and no others', () => {
    let nowMs = 1_000_000_000;
    const seen = new SeenProofs(clockAt(() => nowMs));
    for (let number = 0; number < 1000; number += 1)
      seen.use({ digest: digest(number), expiresAt: nowMs + number * 100 });
    const kept = () => {
      const held = Array.from({ length: 1000 }, (_, number) => number);
      return held.filter((number) => nowMs < 1_000_000_000 + number * 100);
    };
    for (const later of [0, 30_000, 60_000, 95_000]) {
      nowMs = 1_000_000_000 + later;
      for (const number of kept())
        assert.equal(seen.use({ digest: digest(number), expiresAt: nowMs + 1 }), false, `${number}`);
    }
    nowMs += 200_000;
    assert.equal(seen.use({ digest: digest(2000), expiresAt: nowMs + 1 }), true);
    assert.equal(seen.size, 1);
  });

  it('refuses new proofs when full, and accepts them again after expiry', () => {
    let nowMs = 1_000_000_000;
    const now = () => nowMs;
    const seen = new SeenProofs(clockAt(now), 100);
    const used = (number: number) => ({ digest: digest(number), expiresAt: nowMs + 60_000 });
    const first = used(0);
    for (let number = 0; number < 100; number += 1) assert.equal(seen.use(used(number)), true);
    assert.throws(() => seen.use(used(100)), { code: 'overloaded' });
    assert.equal(seen.use(first), false, 'what it knows it still refuses');
    nowMs += 80_000;
    assert.equal(seen.use(used(100)), true);
  });

  for (const [way, stepMs] of Object.entries({ ahead: 3 * 3_600_000, back: -3 * 3_600_000 }))
    it(`forgets nothing while the clock is set ${way} and reset; everything expires later`, () => {
      const clock = new MovableClock();
      const seen = new SeenProofs(clock);
      const other = () => seen.use({ digest: randomBytes(32), expiresAt: clock.now() + 30_000 });
      const proof = { digest: digest(1), expiresAt: clock.now() + 60_000 };
      assert.equal(seen.use(proof), true);
      clock.stepWallClock(stepMs);
      const meanwhile = { digest: digest(2), expiresAt: clock.now() + 60_000 };
      assert.equal(seen.use(meanwhile), true);
      assert.equal(other(), true);
      clock.stepWallClock(-stepMs);
      assert.equal(other(), true);
      for (const used of [proof, meanwhile]) assert.equal(seen.use(used), false);
      clock.advance(4 * 3_600_000);
      assert.equal(other(), true);
      assert.equal(seen.size, 1);
    });
});
