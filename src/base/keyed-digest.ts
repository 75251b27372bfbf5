import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

export type KeyedDigest = ReturnType<typeof createKeyedDigest>;

export function createKeyedDigest(key: Uint8Array) {
  const secretKey = createSecretKey(key);
  const of = (...parts: readonly unknown[]) =>
    // JSON, so that no two lists of parts have the same bytes.
    createHmac('sha256', secretKey).update(JSON.stringify(parts)).digest();
  /** Compares in constant time. */
  const isOf = (digest: Uint8Array, ...parts: readonly unknown[]): boolean => {
    const expected = of(...parts);
    return digest.length === expected.length && timingSafeEqual(digest, Buffer.from(expected));
  };
  const sealKey = createSecretKey(of('seal'));
  const cipherFor = (mac: Buffer) => ['aes-256-ctr', sealKey, mac.subarray(0, 16)] as const;
  return {
    of,
    isOf,
    /** Encrypts a text and signs it together with these parts. The signature begins with the nonce (SIV, RFC 5297). */
    seal(text: string, ...parts: readonly unknown[]): string {
      const mac = of(...parts, text);
      const hidden = createCipheriv(...cipherFor(mac)).update(text);
      return `${hidden.toString('base64url')}.${mac.toString('base64url')}`;
    },
    /** The text that was sealed with these parts; null if it was not. */
    unseal(sealed: string, ...parts: readonly unknown[]): string | null {
      const [hidden = Buffer.alloc(0), mac = Buffer.alloc(0)] = sealed
        .split('.')
        .map((part) => Buffer.from(part, 'base64url'));
      const text = createDecipheriv(...cipherFor(mac))
        .update(hidden)
        .toString();
      return isOf(mac, ...parts, text) ? text : null;
    },
  };
}
