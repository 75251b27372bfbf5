import { contentPolicy } from '../base/content-policy.ts';
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

/** Where providers keep the pictures of people, besides their own origin: Auth0, Google, GitHub and Gravatar. */
const pictureOrigins = [
  'https://cdn.auth0.com',
  'https://s.gravatar.com',
  'https://lh3.googleusercontent.com',
  'https://avatars.githubusercontent.com',
];

/** The page may ask this service and the providers, and show pictures of people. */
export function frontendContentPolicy(providers: readonly string[]): string {
  return contentPolicy(
    `connect-src ${["'self'", ...new Set(providers)].join(' ')}`,
    `img-src ${["'self'", ...new Set([...providers, ...pictureOrigins])].join(' ')}`,
  );
}

/** What else a browser is told about the page: no other page reaches into it, and no address tells where one came from. */
export const pageHeaders = {
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};
