import { found, readMapping, type Say } from '../../base/yaml/mistakes.ts';
import { always, sometimes } from '../../openapi/headers.ts';
import type { Headers } from '../../openapi/openapi-types.ts';
import type { Collection, Deprecation } from './collection.ts';
import { isDate, normaliseDateTime } from './normalise.ts';

/** The member `deprecated` of a declaration. */
export function readDeprecation(value: unknown, say: Say): Deprecation | null {
  if (value === undefined) return null;
  const members = readMapping(value, '/deprecated', ['since', 'sunset', 'link'], say);
  if (members === null) return null;
  const { since, sunset, link = null } = members;
  const sinceMs = readDay(since, '/deprecated/since', say);
  const sunsetMs = sunset === undefined ? null : readDay(sunset, '/deprecated/sunset', say);
  if (sunsetMs !== null && sunsetMs < sinceMs)
    say('/deprecated/sunset', `must not come before "since"; ${found(sunset)}`);
  const isLink =
    typeof link === 'string' && /^https?:\/\/[\x21\x23-\x3b\x3d\x3f-\x7e]+$/.test(link) && URL.canParse(link);
  if (link !== null && !isLink) say('/deprecated/link', `must be an http or https URL; ${found(link)}`);
  return { sinceMs, sunsetMs, link: isLink ? link : null };
}

function readDay(value: unknown, pointer: string, say: Say): number {
  const text = typeof value === 'string' ? value : '';
  const time = isDate(text) ? Date.parse(text) : Date.parse(normaliseDateTime(text) ?? '');
  if (Number.isNaN(time)) say(pointer, `must be a date such as 2026-01-01; ${found(value)}`);
  return time;
}

/** What tells callers that a collection is on its way out: RFC 9745, RFC 8594 and a link to what to do. */
export function deprecationHeaders({ deprecated }: Collection): Record<string, string> {
  if (deprecated === null) return {};
  const { sinceMs, sunsetMs, link } = deprecated;
  return {
    deprecation: `@${Math.floor(sinceMs / 1000)}`,
    ...(sunsetMs === null ? {} : { sunset: new Date(sunsetMs).toUTCString() }),
    ...(link === null ? {} : { link: `<${link}>; rel="deprecation"` }),
  };
}

/** The same as every answer of the collection is described. */
export function describeDeprecation({ deprecated }: Collection): Headers {
  if (deprecated === null) return {};
  return {
    Deprecation: always('Since when the collection is deprecated: "@" and seconds since 1970.'),
    ...(deprecated.sunsetMs === null ? {} : { Sunset: always('When the collection will be gone.') }),
    ...(deprecated.link === null ? {} : { Link: sometimes('What to do about it, with rel="deprecation".') }),
  };
}
