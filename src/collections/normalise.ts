import { always, sometimes } from '../openapi/headers.ts';
import type { Headers } from '../openapi/openapi-types.ts';

const dateForm = /^\d{4}-\d\d-\d\d$/;
/** RFC 3339, without leap seconds, which JavaScript dates do not have. */
const timeForm = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;
const datePart = 'yyyy-mm-dd'.length;

export function isDate(text: string): boolean {
  const time = dateForm.test(text) ? Date.parse(text) : Number.NaN;
  // Date.parse takes February 30 for March 2.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

export function isTime(text: string): boolean {
  return timeForm.test(text);
}

/** UTC with milliseconds and a year of four digits, which sorts as text. Null if it is no date-time. */
export function normaliseDateTime(text: string): string | null {
  const separator = text[datePart];
  if (separator !== 'T' && separator !== 't') return null;
  if (!isDate(text.slice(0, datePart)) || !isTime(text.slice(datePart + 1))) return null;
  const time = Date.parse(text.toUpperCase());
  const normal = Number.isNaN(time) ? '' : new Date(time).toISOString();
  return normal.length === '2026-01-01T08:00:00.000Z'.length ? normal : null;
}

type Fields = Readonly<Record<string, unknown>>;

interface Indexed {
  readonly schema: Fields;
  readonly index: readonly { readonly name: string }[];
}

/** The fields as stored: indexed date-times are normalised. */
export function normaliseFields(collection: Indexed, fields: Fields): Fields {
  const times = collection.index.filter(({ name }) => isDateTime(collection, name));
  if (times.length === 0) return fields;
  const normal = times.map(({ name }) => [name, normalised(fields[name])]);
  return { ...fields, ...Object.fromEntries(normal.filter(([, value]) => value !== undefined)) };
}

function normalised(value: unknown): unknown {
  return typeof value === 'string' ? (normaliseDateTime(value) ?? value) : value;
}

/** True if values to compare with the field have to be normalised, too. */
export function isDateTime({ schema }: Pick<Indexed, 'schema'>, field: string): boolean {
  const properties = schema.properties as Readonly<Record<string, Fields>> | undefined;
  return properties?.[field]?.format === 'date-time';
}

/** In milliseconds; NaN if it is neither a date nor a date-time. */
export function parseDay(text: string): number {
  return Date.parse(isDate(text) ? text : (normaliseDateTime(text) ?? ''));
}

export interface Deprecation {
  readonly sinceMs: number;
  readonly sunsetMs: number | null;
  readonly link: string | null;
}

interface Deprecated {
  readonly deprecated: Deprecation | null;
}

/** RFC 9745, RFC 8594 and a link. */
export function deprecationHeaders({ deprecated }: Deprecated): Record<string, string> {
  if (deprecated === null) return {};
  const { sinceMs, sunsetMs, link } = deprecated;
  return {
    deprecation: `@${Math.floor(sinceMs / 1000)}`,
    ...(sunsetMs === null ? {} : { sunset: new Date(sunsetMs).toUTCString() }),
    ...(link === null ? {} : { link: `<${link}>; rel="deprecation"` }),
  };
}

export function describeDeprecation({ deprecated }: Deprecated): Headers {
  if (deprecated === null) return {};
  return {
    Deprecation: always('Since when the collection is deprecated: "@" and seconds since 1970.'),
    ...(deprecated.sunsetMs === null ? {} : { Sunset: always('When the collection will be removed.') }),
    ...(deprecated.link === null
      ? {}
      : { Link: sometimes('A page that says what to do, with rel="deprecation".') }),
  };
}
