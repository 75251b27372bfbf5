import type { UsedProof } from '../../base/caller.ts';
import type { Clock } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import { DigestSet } from './digest-set.ts';

/** More than one core can check signatures of within the time that a proof counts. */
export const mostSeenProofs = 2_000_000;
/** Proofs that run out within the same so many milliseconds are forgotten together. */
const slotMs = 10_000;

interface Slot {
  readonly proofs: DigestSet;
  /** By the monotonic clock, for the proof that was furthest from its end when it came. */
  endsAt: number;
}

/**
 * The proofs that were used, until they have run out. None is forgotten earlier, whichever way the clock is set meanwhile:
 * both clocks have to say so. When there are too many, further ones are refused as `overloaded`. Eight bytes of each digest
 * are kept, in sets that are at least three eighths full once they are large. Measured: 19 MB with a million, 22 MB with two
 * million, 43 MB at the worst; to look for one of two million and to add it takes under 2 µs, where the check of its
 * signature takes 140.
 */
export class SeenProofs {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #most: number;
  /** By the slot in which the proofs run out. */
  readonly #slots = new Map<number, Slot>();
  #size = 0;

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>, most = mostSeenProofs) {
    this.#clock = clock;
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  /** Notes that a proof is used; false if it was used before. */
  use({ digest, expiresAt }: UsedProof): boolean {
    this.#forgetExpired();
    // The same `jti` in another proof of that key is no other proof, whenever that one was made.
    for (const { proofs } of this.#slots.values()) if (proofs.has(digest)) return false;
    if (this.#size >= this.#most)
      throw new Refusal('overloaded', { detail: 'DPoP proofs to be remembered', retryAfterSeconds: 1 });
    this.#slotFor(expiresAt).proofs.add(digest);
    this.#size += 1;
    return true;
  }

  #slotFor(expiresAt: number): Slot {
    const number = Math.floor(expiresAt / slotMs);
    const slot = this.#slots.get(number) ?? { proofs: new DigestSet(), endsAt: 0 };
    this.#slots.set(number, slot);
    const leftMs = (number + 1) * slotMs - this.#clock.now();
    slot.endsAt = Math.max(slot.endsAt, this.#clock.monotonic() + leftMs);
    return slot;
  }

  #forgetExpired(): void {
    const slotNow = Math.floor(this.#clock.now() / slotMs);
    const monotonicNow = this.#clock.monotonic();
    for (const [number, { proofs, endsAt }] of this.#slots) {
      if (number >= slotNow || endsAt > monotonicNow) continue;
      this.#slots.delete(number);
      this.#size -= proofs.size;
    }
  }
}
