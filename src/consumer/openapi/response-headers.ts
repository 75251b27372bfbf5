import type { Deprecation } from '../collections/collection.ts';
import type { Header, Headers } from './openapi-types.ts';

/** The headers of answers, by the part they play. */

function text(description: string): Header {
  return { description, schema: { type: 'string' } };
}

function always(header: Header): Header {
  return { ...header, required: true };
}

const etag = always(text('The version of the record, for If-Match and If-None-Match.'));

export const retryAfter: Headers = {
  'Retry-After': always({
    description: 'How many seconds to wait before the next try.',
    schema: { type: 'integer', minimum: 0 },
  }),
};

export const bearerChallenge: Headers = {
  'WWW-Authenticate': text('What would be let in (RFC 6750), where the token is the reason.'),
};

export const basicChallenge: Headers = {
  'WWW-Authenticate': always(text('How a client may prove itself (RFC 9110).')),
};

export const version: Headers = { ETag: etag };

export const created: Headers = { Location: always(text('The address of the record.')), ETag: etag };

export const nextPage: Headers = {
  Link: text('The next page, with rel="next" (RFC 8288); absent on the last one.'),
};

/** Of a request that was sent before with the same key: nothing was made, and it counts as a read. */
export const replay: Headers = {
  'Idempotency-Replayed': text('"true" when an earlier request with the same key has made the record.'),
};

/** What is left of a budget. */
export function budget(name: 'reads' | 'writes'): Headers {
  return {
    'RateLimit-Policy': text(`The budget: its name "${name}", how much (q) in how many seconds (w).`),
    RateLimit: text(`What is left of "${name}" (r), and in how many seconds it is full again (t).`),
  };
}

/** What every answer of a deprecated collection says (RFC 9745, RFC 8594). */
export function deprecation(deprecated: Deprecation | null): Headers {
  if (deprecated === null) return {};
  const sunset = { Sunset: always(text('When the collection will be gone.')) };
  return {
    Deprecation: always(text('Since when the collection is deprecated: "@" and seconds since 1970.')),
    ...(deprecated.sunsetMs === null ? {} : sunset),
    ...(deprecated.link === null ? {} : { Link: text('What to do about it, with rel="deprecation".') }),
  };
}
