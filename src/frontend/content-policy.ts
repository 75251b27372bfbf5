import { contentPolicy } from '../base/content-policy.ts';

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
