/**
 * On every answer. Callers are programs: nothing may be framed, sniffed, cached or run. What else such lists contain
 * says the same again to browsers of long ago (X-Frame-Options) or speaks of links, of which there are none.
 */
const always = { 'x-content-type-options': 'nosniff' };
const nothingMayRun = "default-src 'none'; frame-ancestors 'none'";

interface Circumstances {
  /** The caller came over HTTPS. */
  readonly https: boolean;
  /** The answer depends on the caller's token. */
  readonly personal: boolean;
  /** The answer depends on the caller's origin. */
  readonly cors: boolean;
  /** What a page may load (Content-Security-Policy), where an answer is one. */
  readonly contentPolicy?: string | undefined;
  /** The route's own. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The headers of a route that are the same on all its answers, so that they are put together once. */
export function fixedHeaders(circumstances: Circumstances): readonly string[] {
  const { https, personal, cors, contentPolicy, headers: own } = circumstances;
  const vary = [...(personal ? ['Authorization'] : []), ...(cors ? ['Origin'] : [])];
  const headers = {
    // First, because it is the one that an answer may change; see cacheControlAt.
    'cache-control': personal ? 'private, no-store' : 'no-store',
    ...always,
    'content-security-policy': contentPolicy ?? nothingMayRun,
    ...(https ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
    ...(vary.length > 0 ? { vary: vary.join(', ') } : {}),
    ...own,
  };
  return Object.entries(headers).flat();
}

/** Where its value is among the fixed headers. */
export const cacheControlAt = 1;
