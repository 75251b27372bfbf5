/** Callers are programs: nothing may be framed, sniffed, cached or run. */
const nothingMayRun = "default-src 'none'; frame-ancestors 'none'";

export interface Circumstances {
  readonly https: boolean;
  readonly personal: boolean;
  readonly cors: boolean;
  readonly contentPolicy?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export function fixedHeaders(circumstances: Circumstances): readonly string[] {
  const { https, personal, cors, contentPolicy, headers: own } = circumstances;
  const vary = [...(personal ? ['Authorization'] : []), ...(cors ? ['Origin'] : [])];
  const headers = {
    // First: an answer may change it, at `cacheControlAt`.
    'cache-control': personal ? 'private, no-store' : 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': contentPolicy ?? nothingMayRun,
    ...(https ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
    ...(vary.length > 0 ? { vary: vary.join(', ') } : {}),
    ...own,
  };
  return Object.entries(headers).flat();
}

export const cacheControlAt = 1;

/** The headers that scripts of the allowed origins may send and read. No cookies: a caller has a bearer token. */
const allowedHeaders =
  'Authorization, DPoP, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, traceparent';
const exposedHeaders =
  'WWW-Authenticate, DPoP-Nonce, Retry-After, X-Request-Id, ETag, Location, Link, RateLimit, RateLimit-Policy, Idempotency-Replayed, Events-Position, Events-Scope, Deprecation, Sunset';
const preflightSeconds = '600';

/** The headers (names and values in turn) for an origin; none if it is not allowed. */
export type CorsHeaders = (origin: string | undefined) => readonly string[];

/** For answers; with `methods` for preflights. */
export function corsHeaders(origins: readonly string[], methods?: readonly string[]): CorsHeaders {
  const headers =
    methods === undefined
      ? { 'access-control-expose-headers': exposedHeaders }
      : {
          'access-control-allow-methods': methods.join(', '),
          'access-control-allow-headers': allowedHeaders,
          'access-control-max-age': preflightSeconds,
        };
  const fixed = Object.entries(headers).flat();
  return (origin = '') => (origins.includes(origin) ? [...fixed, 'access-control-allow-origin', origin] : []);
}
