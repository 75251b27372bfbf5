import { contentPolicy } from '../base/content-policy.ts';

interface Origins {
  /** Where tokens and /userinfo come from. */
  readonly provider: readonly string[];
  /** Where pictures of people may come from, besides the provider. */
  readonly pictures: readonly string[];
}

/** The page may ask this service and the provider, and show their pictures. */
export function frontendContentPolicy({ provider, pictures }: Origins): string {
  return contentPolicy(
    `connect-src ${["'self'", ...new Set(provider)].join(' ')}`,
    `img-src ${["'self'", ...new Set([...provider, ...pictures])].join(' ')}`,
  );
}

/** What else a browser is told about the page: no other page reaches into it, and no address tells where one came from. */
export const pageHeaders = {
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};
