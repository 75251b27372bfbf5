import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 random bits. The prefix lets secret scanners recognise a committed secret. */
export function createSecret(): string {
  return `vsec_${randomBytes(32).toString('base64url')}`;
}

/** The id of a secret. Short, because every token that is issued for the secret contains it. */
export function createSecretId(): string {
  return randomBytes(6).toString('hex');
}

/** Stored instead of a secret. A fast keyed hash is enough: a secret has 256 random bits. */
export function digestSecret(key: Uint8Array, secret: string): Uint8Array {
  return createHmac('sha256', key).update(secret).digest();
}

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

const nonceBytes = 12;
const tagBytes = 16;

/** AES-256-GCM: nonce, ciphertext, tag. `context` is authenticated, so that a box can be opened only in its own place. */
export function seal(key: Uint8Array, plain: Uint8Array, context: string): Uint8Array {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Null if the box was sealed with another key or context, or was changed. */
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
