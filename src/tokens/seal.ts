import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const nonceBytes = 12;
const tagBytes = 16;

/** AES-256-GCM: nonce, ciphertext, tag. `context` is authenticated with it, so that a box fits only its own place. */
export function seal(key: Uint8Array, plain: Uint8Array, context: string): Uint8Array {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Null when the box was sealed with another key or for another place, or was changed. */
export function unseal(key: Uint8Array, box: Uint8Array, context: string): Uint8Array | null {
  if (box.length < nonceBytes + tagBytes) return null;
  const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, nonceBytes))
    .setAAD(Buffer.from(context))
    .setAuthTag(box.subarray(box.length - tagBytes));
  try {
    return Buffer.concat([
      decipher.update(box.subarray(nonceBytes, box.length - tagBytes)),
      decipher.final(),
    ]);
  } catch {
    return null;
  }
}
