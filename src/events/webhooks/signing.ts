import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  sign as signWith,
} from 'node:crypto';
import type { WebhookSigning } from '../../storage/port.ts';

/** Standard Webhooks: how what is sent proves that it is from here (https://www.standardwebhooks.com). */

const secretBytes = 32;
/** RFC 8410: what stands before the 32 bytes of a private key, and of a public one. */
const privateKeyHead = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicKeyHeadLength = 12;

/** Signs `<id>.<timestamp>.<body>`; the signature with its version in front. */
export type Signer = (content: string) => string;

export function createWebhookId(): string {
  return `whk_${randomBytes(12).toString('hex')}`;
}

/** A secret of HMAC, or the private key of Ed25519: both are 256 random bits. */
export function createWebhookSecret(): Uint8Array {
  return randomBytes(secretBytes);
}

/** A secret as the libraries of Standard Webhooks read it. */
export function secretText(secret: Uint8Array): string {
  return `whsec_${Buffer.from(secret).toString('base64')}`;
}

export function createSigner(signing: WebhookSigning, secret: Uint8Array): Signer {
  if (signing === 'hmac')
    return (content) => `v1,${createHmac('sha256', secret).update(content).digest('base64')}`;
  const key = privateKeyOf(secret);
  return (content) => `v1a,${signWith(null, Buffer.from(content), key).toString('base64')}`;
}

/** The public key that belongs to a private one, in the two ways in which it is handed out. */
export function publicKeyOf(secret: Uint8Array) {
  const key = createPublicKey(privateKeyOf(secret));
  const { x = '' } = key.export({ format: 'jwk' });
  const der = key.export({ format: 'der', type: 'spki' });
  // The thumbprint of RFC 7638 is over exactly these members, in this order.
  const defining = { crv: 'Ed25519', kty: 'OKP', x };
  const kid = createHash('sha256').update(JSON.stringify(defining)).digest('base64url');
  return {
    text: `whpk_${der.subarray(publicKeyHeadLength).toString('base64')}`,
    jwk: { ...defining, kid, use: 'sig', alg: 'EdDSA' },
  };
}

function privateKeyOf(secret: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([privateKeyHead, secret]), format: 'der', type: 'pkcs8' });
}
