import { rememberLast } from '../../base/remember-last.ts';
import type { Description } from '../../openapi/description.ts';
import type { Headers, Parameter, Response } from '../../openapi/openapi-types.ts';
import type { Collection } from '../collections/collection.ts';
import { describeDeprecation } from '../collections/deprecation.ts';
import { type RecordSchemas, recordSchemas } from './record-schemas.ts';

/** What the routes of a collection say of themselves alike. */
export interface Common {
  readonly schemas: RecordSchemas;
  readonly about: Pick<Description, 'tag' | 'scope' | 'isForPeople' | 'deprecated' | 'current' | 'schemas'>;
  /** An answer with the record, or with nothing at all. */
  answer(description: string, headers: Headers, hasBody?: boolean): Response;
}

/** The routes of a collection are described one after the other. */
const schemasOf = rememberLast(recordSchemas);

export function describeCollection(collection: Collection, purpose: 'read' | 'write'): Common {
  const { name, title, description, access, deprecated } = collection;
  const schemas = schemasOf(collection);
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
      headers: { ...headers, ...describeDeprecation(collection) },
      ...(hasBody ? { content: { 'application/json': schemas.record } } : {}),
    }),
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
