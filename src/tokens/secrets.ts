import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 random bits. The prefix lets secret scanners recognise one that was committed by mistake. */
export function createSecret(): string {
  return `vsec_${randomBytes(32).toString('base64url')}`;
}

/** A name for a secret. Short, because every token that is issued for it carries the name. */
export function createSecretId(): string {
  return randomBytes(6).toString('hex');
}

/** Stored instead of a secret. A fast keyed hash is enough: a secret has 256 random bits. */
export function digestSecret(key: Uint8Array, secret: string): Uint8Array {
  return createHmac('sha256', key).update(secret).digest();
}

/** Live secrets of a client. */
export const secretSlots = 2;
const unknownDigest = randomBytes(32);

/** The stored secret with this digest, or null. Always `secretSlots` comparisons in constant time. */
export function findSecret<Stored extends { readonly digest: Uint8Array }>(
  digest: Uint8Array,
  stored: readonly Stored[],
): Stored | null {
  let found: Stored | null = null;
  for (let slot = 0; slot < secretSlots; slot += 1) {
    const candidate = stored[slot];
    const other = candidate?.digest.length === digest.length ? candidate.digest : unknownDigest;
    if (timingSafeEqual(digest, other) && candidate !== undefined) found = candidate;
  }
  return found;
}
