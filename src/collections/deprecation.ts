import { always, sometimes } from '../openapi/headers.ts';
import type { Headers } from '../openapi/openapi-types.ts';
import type { Collection } from './collection.ts';
import { isDate, normaliseDateTime } from './normalise.ts';

/** In milliseconds; NaN if it is neither a date nor a date-time. */
export function parseDay(text: string): number {
  return Date.parse(isDate(text) ? text : (normaliseDateTime(text) ?? ''));
}

/** RFC 9745, RFC 8594 and a link. */
export function deprecationHeaders({ deprecated }: Collection): Record<string, string> {
  if (deprecated === null) return {};
  const { sinceMs, sunsetMs, link } = deprecated;
  return {
    deprecation: `@${Math.floor(sinceMs / 1000)}`,
    ...(sunsetMs === null ? {} : { sunset: new Date(sunsetMs).toUTCString() }),
    ...(link === null ? {} : { link: `<${link}>; rel="deprecation"` }),
  };
}

export function describeDeprecation({ deprecated }: Collection): Headers {
  if (deprecated === null) return {};
  return {
    Deprecation: always('Since when the collection is deprecated: "@" and seconds since 1970.'),
    ...(deprecated.sunsetMs === null ? {} : { Sunset: always('When the collection will be gone.') }),
    ...(deprecated.link === null ? {} : { Link: sometimes('What to do about it, with rel="deprecation".') }),
  };
}
