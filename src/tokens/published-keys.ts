import { type Answer, json, type PublicHandler } from '../base/handler.ts';
import type { SigningKey } from './signing-key.ts';

/** How long others may keep it. By default a new key is published for longer than that before it signs. */
const keepSeconds = 300;

/** GET /.well-known/jwks.json, so that anyone can verify our tokens. */
export function publishedKeys(keys: { published(): readonly SigningKey[] }): PublicHandler {
  return (): Answer => {
    const published = { keys: keys.published().map(({ publicJwk }) => publicJwk) };
    return json(published, { cacheControl: `public, max-age=${keepSeconds}` });
  };
}
