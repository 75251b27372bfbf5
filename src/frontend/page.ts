import { type Answer, answer, json, type PublicHandler } from '../base/handler.ts';
import type { Asset } from './built-files.ts';

/** What the frontend has to know before anybody has signed in. Nothing of it is a secret. */
export interface FrontendSettings {
  /** Where people can sign in. */
  readonly providers: readonly FrontendProvider[];
  /** Whether it has its tokens bound to a key of its own. */
  readonly dpop: boolean;
  /** Where the consumer API begins. */
  readonly api: string;
}

interface FrontendProvider {
  readonly name: string;
  readonly title: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly audience: string;
  readonly scopes: readonly string[];
}

/** The name of an asset changes with its content, so a browser that has it may keep it. */
const forGood = 'public, max-age=31536000, immutable';

/** GET / */
export function page(html: string): PublicHandler {
  return always(answer('text/html; charset=utf-8', html));
}

/** GET /web/<name> */
export function asset({ contentType, text }: Asset): PublicHandler {
  return always(answer(contentType, text, { cacheControl: forGood }));
}

/** GET /web/config.json */
export function frontendConfig({ providers, dpop, api }: FrontendSettings): PublicHandler {
  const told = providers.map(({ clientId, ...provider }) => ({ ...provider, client_id: clientId }));
  return always(json({ providers: told, dpop, api }));
}

function always(ready: Answer): PublicHandler {
  return () => ready;
}
