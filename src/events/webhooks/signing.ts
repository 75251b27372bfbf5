import { createHmac, randomBytes } from 'node:crypto';
import type { NewWebhook } from '../../storage/port.ts';

/** Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA256 signatures with secrets that are encrypted at rest. */

const secretBytes = 32;

/** Signs `<id>.<timestamp>.<body>`. The signature begins with its version. */
export type Signer = (content: string) => string;

/** Encrypts with a key derived from the master secret. `unseal` answers null for another key or another context. */
export interface Box {
  seal(plain: Uint8Array, context: string): Uint8Array;
  unseal(sealed: Uint8Array, context: string): Uint8Array | null;
}

type SealedWebhook = Pick<NewWebhook, 'id' | 'url' | 'events'>;

export function createWebhookId(): string {
  return `whk_${randomBytes(12).toString('hex')}`;
}

export function createWebhookSecret(): Uint8Array {
  return randomBytes(secretBytes);
}

/** The secret in the form that libraries for Standard Webhooks read. */
export function secretText(secret: Uint8Array): string {
  return `whsec_${Buffer.from(secret).toString('base64')}`;
}

/** Binds the secret to the webhook's address and events: write access to the database is not enough to redirect events. */
export function sealSecret(box: Box, webhook: SealedWebhook, secret: Uint8Array): Uint8Array {
  return box.seal(secret, contextOf(webhook));
}

/** Signs with each secret of now, newest first. Null if the webhook was changed without the master secret. */
export function openSigners(
  box: Box,
  webhook: SealedWebhook & Pick<NewWebhook, 'secrets'>,
  now: number,
): readonly Signer[] | null {
  const { current, previous } = webhook.secrets;
  const live = [current, ...(previous !== null && previous.endsAt > now ? [previous.sealed] : [])];
  const opened = live.map((sealed) => box.unseal(sealed, contextOf(webhook)));
  if (!opened.every((secret) => secret !== null)) return null;
  return opened.map(
    (secret) => (content) => `v1,${createHmac('sha256', secret).update(content).digest('base64')}`,
  );
}

function contextOf({ id, url, events }: SealedWebhook): string {
  return JSON.stringify(['webhook', id, url, events]);
}
