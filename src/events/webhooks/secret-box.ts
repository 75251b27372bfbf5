import type { NewWebhook } from '../../storage/port.ts';

/** What encrypts with a key of the master secret; null when something was encrypted with another, or for something else. */
export interface Box {
  seal(plain: Uint8Array, context: string): Uint8Array;
  unseal(sealed: Uint8Array, context: string): Uint8Array | null;
}

type Bound = Pick<NewWebhook, 'id' | 'url' | 'events' | 'signing'>;

/**
 * A secret fits only the webhook it was made for, with the address and the events it was made for: whoever can only write to
 * the database can have nothing sent to another place.
 */
export function sealSecret(box: Box, webhook: Bound, secret: Uint8Array): Uint8Array {
  return box.seal(secret, contextOf(webhook));
}

/** The secrets that sign now, the newest first; null when the webhook is not as this service has made it. */
export function openSecrets(
  box: Box,
  webhook: Bound & Pick<NewWebhook, 'secrets'>,
  now: number,
): readonly Uint8Array[] | null {
  const { current, previous } = webhook.secrets;
  const live = [current, ...(previous !== null && previous.endsAt > now ? [previous.sealed] : [])];
  const opened = live.map((sealed) => box.unseal(sealed, contextOf(webhook)));
  return opened.every((secret) => secret !== null) ? opened : null;
}

function contextOf({ id, url, events, signing }: Bound): string {
  return JSON.stringify(['webhook', id, url, events, signing]);
}
