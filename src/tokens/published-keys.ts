import { type Answer, json, type PublicHandler } from '../base/handler.ts';
import { answersJson, type Description, tags } from '../openapi/description.ts';
import { listOf, object, text } from '../openapi/schemas.ts';
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

export function describeKeys(): Description {
  const key = {
    ...object({ kty: text, kid: text, alg: text, use: text }),
    description: 'A public key (RFC 7517); which further members it has depends on "kty".',
    additionalProperties: text,
  };
  return {
    name: 'readKeys',
    tag: tags.tokens,
    summary: 'The keys that verify the tokens of POST /token',
    answers: answersJson('A key set (RFC 7517).', object({ keys: listOf(key) })),
  };
}
