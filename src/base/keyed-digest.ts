import { Buffer } from 'node:buffer';
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

export type KeyedDigest = ReturnType<typeof createKeyedDigest>;

/** HMAC-SHA-256 over a list of parts. Without the key it leads back to no text, and none can be forged. */
export function createKeyedDigest(key: Uint8Array) {
  const secretKey = createSecretKey(key);
  const of = (...parts: readonly unknown[]) =>
    // As JSON, so that no two lists of parts have the same bytes.
    createHmac('sha256', secretKey).update(JSON.stringify(parts)).digest();
  return {
    of,
    /** True if it is the digest of these parts. Takes the same time for every wrong one. */
    isOf(digest: Uint8Array, ...parts: readonly unknown[]): boolean {
      const expected = of(...parts);
      return digest.length === expected.length && timingSafeEqual(digest, Buffer.from(expected));
    },
  };
}
