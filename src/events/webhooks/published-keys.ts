import { json, type PublicHandler } from '../../base/handler.ts';
import { answersJson, type Description, tags } from '../../openapi/description.ts';
import { listOf, object, text } from '../../openapi/schemas.ts';
import type { Webhook } from '../../storage/port.ts';
import { type Box, openSecrets } from './secret-box.ts';
import { publicKeyOf } from './signing.ts';

type Jwk = ReturnType<typeof publicKeyOf>['jwk'];

/** How long others may keep it: a key that was rotated out signs beside the new one for longer than that. */
const keepSeconds = 300;

/** The public keys of the webhooks that sign with Ed25519, in memory: anybody may ask for them, as often as they like. */
export class WebhookKeys {
  readonly #box: Box;
  #keys: readonly Jwk[] = [];

  constructor(box: Box) {
    this.#box = box;
  }

  load(webhooks: readonly Webhook[], now: number): void {
    this.#keys = webhooks
      .filter(({ signing }) => signing === 'ed25519')
      .flatMap((webhook) => openSecrets(this.#box, webhook, now) ?? [])
      .map((secret) => publicKeyOf(secret).jwk);
  }

  published(): readonly Jwk[] {
    return this.#keys;
  }
}

/** GET /.well-known/webhook-keys.json, so that a receiver can verify what was signed with Ed25519. */
export function publishedWebhookKeys(keys: Pick<WebhookKeys, 'published'>): PublicHandler {
  return () => json({ keys: keys.published() }, { cacheControl: `public, max-age=${keepSeconds}` });
}

export function describeWebhookKeys(): Description {
  const key = object({ crv: text, kty: text, x: text, kid: text, use: text, alg: text });
  return {
    name: 'readWebhookKeys',
    tag: tags.events,
    summary: 'The keys that verify webhooks signed with Ed25519',
    answers: answersJson('A key set (RFC 7517).', object({ keys: listOf(key) })),
  };
}
