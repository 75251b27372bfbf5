interface Origins {
  /** Where tokens and /userinfo come from. */
  readonly provider: readonly string[];
  /** Where pictures of people may come from, besides the provider. */
  readonly pictures: readonly string[];
}

/** What the page may load, and from where: itself, and the provider. Nothing inline, no text that becomes markup. */
export function frontendContentPolicy({ provider, pictures }: Origins): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src ${["'self'", ...new Set(provider)].join(' ')}`,
    `img-src ${["'self'", ...new Set([...provider, ...pictures])].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** What else a browser is told about the page: no other page reaches into it, and no address tells where one came from. */
export const pageHeaders = {
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};
