import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 random bits. The prefix lets secret scanners recognise one that was committed by mistake. */
export function createSecret(): string {
  return `vsec_${randomBytes(32).toString('base64url')}`;
}

/**
 * What is stored instead of a secret. A fast keyed hash is enough, because a secret is random and long: there is
 * nothing to guess, and a slow hash would only help whoever floods the endpoint.
 */
export function digestSecret(key: Uint8Array, secret: string): Uint8Array {
  return createHmac('sha256', key).update(secret).digest();
}

/** How many live secrets a client can have; a check compares with as many, whether they exist or not. */
export const secretSlots = 2;
const nobodysDigest = randomBytes(32);

/** One hash and `secretSlots` comparisons in constant time, whatever is stored: the work tells nothing. */
export function matchesSecret(key: Uint8Array, presented: string, stored: readonly Uint8Array[]): boolean {
  const digest = digestSecret(key, presented);
  let matches = 0;
  for (let slot = 0; slot < secretSlots; slot += 1) {
    const candidate = stored[slot];
    const equal = timingSafeEqual(digest, candidate?.length === digest.length ? candidate : nobodysDigest);
    matches |= Number(equal);
  }
  return matches === 1;
}
