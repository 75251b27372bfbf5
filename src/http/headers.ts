/**
 * On every answer. Callers are programs: nothing may be framed, sniffed, cached or run. What else such lists contain
 * says the same again to browsers of long ago (X-Frame-Options) or speaks of links, of which there are none.
 */
const always = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

interface Circumstances {
  /** The caller came over HTTPS. */
  readonly https: boolean;
  /** The answer depends on the caller's token. */
  readonly personal: boolean;
  /** The answer depends on the caller's origin. */
  readonly cors: boolean;
}

/** The headers of a route that are the same on all its answers, so that they are put together once. */
export function fixedHeaders({ https, personal, cors }: Circumstances): readonly string[] {
  const vary = [...(personal ? ['Authorization'] : []), ...(cors ? ['Origin'] : [])];
  const headers = {
    // First, because it is the one that an answer may change; see cacheControlAt.
    'cache-control': personal ? 'private, no-store' : 'no-store',
    ...always,
    ...(https ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
    ...(vary.length > 0 ? { vary: vary.join(', ') } : {}),
  };
  return Object.entries(headers).flat();
}

/** Where its value is among the fixed headers. */
export const cacheControlAt = 1;
