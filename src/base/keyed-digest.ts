import { Buffer } from 'node:buffer';
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

export type KeyedDigest = ReturnType<typeof createKeyedDigest>;

export function createKeyedDigest(key: Uint8Array) {
  const secretKey = createSecretKey(key);
  const of = (...parts: readonly unknown[]) =>
    // As JSON, so that no two lists of parts have the same bytes.
    createHmac('sha256', secretKey).update(JSON.stringify(parts)).digest();
  return {
    of,
    /** Compares in constant time. */
    isOf(digest: Uint8Array, ...parts: readonly unknown[]): boolean {
      const expected = of(...parts);
      return digest.length === expected.length && timingSafeEqual(digest, Buffer.from(expected));
    },
  };
}
