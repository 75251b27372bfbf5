import { createHmac } from 'node:crypto';

const slotMs = 120_000;

export interface Nonces {
  current(): string;
  accepts(nonce: unknown): boolean;
}

/**
 * Stateless nonces (RFC 9449 section 8): an HMAC of the number of the time slot, so every machine with the same master secret
 * knows them. The previous one is accepted for proofs under way, and the next one because the clocks of machines differ.
 */
export function createNonces(key: Uint8Array, now: () => number): Nonces {
  const nonceAt = (offset: number) => {
    const slot = Math.floor(now() / slotMs) + offset;
    return createHmac('sha256', key).update(`slot ${slot}`).digest().toString('base64url', 0, 16);
  };
  return {
    current: () => nonceAt(0),
    // Nonces are public, so the comparison need not take constant time.
    accepts: (nonce) => nonce === nonceAt(0) || nonce === nonceAt(-1) || nonce === nonceAt(1),
  };
}
