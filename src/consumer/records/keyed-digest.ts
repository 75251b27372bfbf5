import { Buffer } from 'node:buffer';
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

export type KeyedDigest = ReturnType<typeof createKeyedDigest>;

/** A digest that takes the key to make: it leads back to no text, and nobody without the key can invent one. */
export function createKeyedDigest(key: Uint8Array) {
  const secretKey = createSecretKey(key);
  const of = (...parts: readonly string[]) =>
    // As JSON, so that no two lists of parts read alike.
    createHmac('sha256', secretKey).update(JSON.stringify(parts)).digest();
  return {
    of,
    /** Whether it is the digest of these parts; takes the same time for every wrong one. */
    isOf(digest: Uint8Array, ...parts: readonly string[]): boolean {
      const expected = of(...parts);
      return digest.length === expected.length && timingSafeEqual(digest, Buffer.from(expected));
    },
  };
}
