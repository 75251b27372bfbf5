import type { Collection } from './collection.ts';

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
