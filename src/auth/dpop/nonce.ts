import { createHmac } from 'node:crypto';

/** How long a nonce is the current one. */
const slotMs = 120_000;

export interface Nonces {
  /** What the next proof is to contain. */
  current(): string;
  accepts(nonce: unknown): boolean;
}

/**
 * Nonces that nobody has to keep (RFC 9449 section 8): each is an HMAC of the number of a slot of time, so that every
 * machine with the same master secret knows it. The one before the current one is taken too, or no proof could be on its
 * way while they change; and the one after it, because the clocks of machines differ and only they can make one.
 */
export function createNonces(key: Uint8Array, now: () => number): Nonces {
  let slot = Number.NaN;
  let previous = '';
  let current = '';
  let next = '';
  const follow = () => {
    const slotNow = Math.floor(now() / slotMs);
    if (slotNow === slot) return;
    slot = slotNow;
    previous = nonceOf(key, slot - 1);
    current = nonceOf(key, slot);
    next = nonceOf(key, slot + 1);
  };
  return {
    current() {
      follow();
      return current;
    },
    // They are no secret that could be guessed letter by letter: whoever asks is told the current one.
    accepts(nonce) {
      follow();
      return nonce === current || nonce === previous || nonce === next;
    },
  };
}

function nonceOf(key: Uint8Array, slot: number): string {
  return createHmac('sha256', key).update(`slot ${slot}`).digest().toString('base64url', 0, 16);
}
