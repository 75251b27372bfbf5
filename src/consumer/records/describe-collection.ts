import type { Description } from '../../openapi/description.ts';
import { always, sometimes } from '../../openapi/headers.ts';
import type { Headers, Parameter, Response } from '../../openapi/openapi-types.ts';
import type { Collection } from '../collections/collection.ts';
import { type RecordSchemas, recordSchemas } from './record-schemas.ts';

/** What the routes of a collection say of themselves alike. */
export interface Common {
  readonly schemas: RecordSchemas;
  readonly about: Pick<Description, 'tag' | 'scope' | 'isForPeople' | 'deprecated' | 'current' | 'schemas'>;
  /** An answer with the record, or with nothing at all. */
  answer(description: string, headers: Headers, hasBody?: boolean): Response;
}

export function describeCollection(collection: Collection, purpose: 'read' | 'write'): Common {
  const { name, title, description, access, deprecated } = collection;
  const schemas = recordSchemas(collection);
  const scope = access.scopes[purpose];
  const meaning = `${purpose === 'read' ? 'Reading' : 'Changing'} ${title}.`;
  return {
    schemas,
    about: {
      tag: { name, description: description ?? title },
      scope: scope === null ? null : { name: scope, meaning },
      isForPeople: access.clients === 'none',
      deprecated: deprecated === null ? undefined : true,
      current: schemas.record.schema,
      schemas: schemas.components,
    },
    answer: (what, headers, hasBody = true) => ({
      description: what,
      headers: { ...headers, ...deprecationHeaders(collection) },
      ...(hasBody ? { content: { 'application/json': schemas.record } } : {}),
    }),
  };
}

/** What every answer of a deprecated collection says (RFC 9745, RFC 8594). */
export function deprecationHeaders({ deprecated }: Collection): Headers {
  if (deprecated === null) return {};
  return {
    Deprecation: always('Since when the collection is deprecated: "@" and seconds since 1970.'),
    ...(deprecated.sunsetMs === null ? {} : { Sunset: always('When the collection will be gone.') }),
    ...(deprecated.link === null ? {} : { Link: sometimes('What to do about it, with rel="deprecation".') }),
  };
}

export const idParameter: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The id of the record.',
  schema: { type: 'string', format: 'uuid' },
};

export function headerParameter(name: string, description: string, schema?: Parameter['schema']): Parameter {
  return { name, in: 'header', description, schema: { type: 'string', ...schema } };
}
