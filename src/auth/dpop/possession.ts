import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import type { Caller, RequestOrigin, UsedProof } from '../../base/caller.ts';
import type { Clock } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import type { ProvePossession } from '../authenticate.ts';
import type { CheckProof, Proof } from './proof.ts';
import { invalidProof } from './proof-keys.ts';

/** The parts of a request that a proof covers. */
export interface ProvableRequest extends RequestOrigin {
  readonly method: string;
  readonly path: string;
  header(name: string): string | undefined;
  /** Set once the proof is verified. */
  proof: UsedProof | null;
}

/** A token bound to a key is accepted only with a proof by that key, and each proof only once. */
export function createPossession(
  checkProof: CheckProof,
  useProof: (proof: Proof) => UsedProof,
  baseUrl: string,
): ProvePossession<Caller, ProvableRequest> {
  return async ({ boundTo }, token, request) => {
    if (boundTo === null) throw invalidProof('cnf');
    const proven = {
      method: request.method,
      uri: `${baseUrl}${request.path}`,
      tokenDigest: Buffer.from(token, 'latin1').toString('base64url'),
      thumbprint: boundTo,
    };
    request.proof = useProof(await checkProof(request.header('dpop'), proven, request));
  };
}

/**
 * Marks a proof as used, and refuses a used one. The digest covers the key first, so a reader of the database cannot link a
 * proof to its sender. (An HMAC takes three times as long and protects no more: digests are not shown to callers.)
 */
export function createUseProof(digestKey: Uint8Array, seen: SeenProofs) {
  const start = Buffer.from(digestKey).toString('base64url');
  return ({ thumbprint, jti, expiresAt }: Proof): UsedProof => {
    const used = { digest: hash('sha256', `${start}.${thumbprint}.${jti}`, 'buffer'), expiresAt };
    if (!seen.use(used)) throw new Refusal('proof_replayed');
    return used;
  };
}

/** More proofs than one core can verify in the two minutes during which a proof is valid. */
export const maxSeenProofs = 1_000_000;
/** Proofs that expire within the same slot are evicted together. */
const slotMs = 10_000;

interface Slot {
  readonly proofs: Set<number>;
  /** A time of the monotonic clock. */
  endsAt: number;
}

/**
 * The used proofs, until they have expired by both clocks: setting the clock revives none. When it is full, further proofs
 * are refused as `overloaded`. 48 bits of each digest are kept, so a new proof is taken for another one once in 280
 * million times with a million in memory, which takes about 50 MB.
 */
export class SeenProofs {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #maxProofs: number;
  /** Grouped by the slot in which the proofs expire. */
  readonly #slots = new Map<number, Slot>();
  #size = 0;

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>, maxProofs = maxSeenProofs) {
    this.#clock = clock;
    this.#maxProofs = maxProofs;
  }

  get size(): number {
    return this.#size;
  }

  /** Marks a proof as used; false if it was used before. */
  use({ digest, expiresAt }: UsedProof): boolean {
    this.#forgetExpired();
    const name = Buffer.from(digest.buffer, digest.byteOffset, 6).readUIntBE(0, 6);
    // Looks in all slots: another proof with the same `jti` counts as the same one, whenever it expires.
    for (const { proofs } of this.#slots.values()) if (proofs.has(name)) return false;
    if (this.#size >= this.#maxProofs)
      throw new Refusal('overloaded', { detail: 'too many DPoP proofs in memory', retryAfterSeconds: 1 });
    this.#slotFor(expiresAt).proofs.add(name);
    this.#size += 1;
    return true;
  }

  #slotFor(expiresAt: number): Slot {
    const number = Math.floor(expiresAt / slotMs);
    const slot = this.#slots.get(number) ?? { proofs: new Set(), endsAt: 0 };
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
