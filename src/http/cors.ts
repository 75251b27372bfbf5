/** The headers that scripts of the allowed origins may send and read. No cookies: a caller has a bearer token. */
const allowedHeaders =
  'Authorization, DPoP, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, traceparent';
const exposedHeaders =
  'WWW-Authenticate, DPoP-Nonce, Retry-After, X-Request-Id, ETag, Location, Link, RateLimit, RateLimit-Policy, Idempotency-Replayed, Events-Position, Events-Scope, Deprecation, Sunset';
const preflightSeconds = '600';

/** The headers (names and values in turn) for an origin; none if it is not allowed. */
export type CorsHeaders = (origin: string | undefined) => readonly string[];

export interface Cors {
  readonly answer: CorsHeaders;
  preflight(methods: readonly string[]): CorsHeaders;
}

export function createCors(origins: readonly string[]): Cors {
  const forAllowed =
    (...headers: readonly string[]): CorsHeaders =>
    (origin) =>
      origin !== undefined && origins.includes(origin)
        ? [...headers, 'access-control-allow-origin', origin]
        : [];
  return {
    answer: forAllowed('access-control-expose-headers', exposedHeaders),
    preflight: (methods) =>
      forAllowed(
        ...['access-control-allow-methods', methods.join(', ')],
        ...['access-control-allow-headers', allowedHeaders],
        ...['access-control-max-age', preflightSeconds],
      ),
  };
}
