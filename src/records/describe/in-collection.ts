import { rememberLast } from '../../base/remember-last.ts';
import type { Collection } from '../../collections/collection.ts';
import { describeDeprecation } from '../../collections/deprecation.ts';
import type { Description } from '../../openapi/description.ts';
import type { Headers, Parameter, Response } from '../../openapi/openapi-types.ts';
import { recordSchemas } from './record-schemas.ts';

export type OwnDescription = Omit<Description, 'tag'>;

export const schemasOf = rememberLast(recordSchemas);

export function describeIn(
  collection: Collection,
  purpose: 'read' | 'write',
  own: OwnDescription,
): Description {
  const { name, title, description, access, deprecated } = collection;
  const { record, components } = schemasOf(collection);
  const scope = access.scopes[purpose];
  const meaning = `${purpose === 'read' ? 'Reading' : 'Changing'} ${title}.`;
  return {
    ...own,
    name: `${name}_${own.name}`,
    tag: { name, description: description === null ? title : `${title}\n\n${description}` },
    budget: purpose === 'read' ? 'reads' : 'writes',
    scope: scope === null ? null : { name: scope, meaning },
    isForPeople: access.clients === 'none',
    deprecated: deprecated === null ? undefined : true,
    headers: describeDeprecation(collection),
    current: record.schema,
    schemas: components,
  };
}

export function recordAnswer(collection: Collection, description: string, headers: Headers): Response {
  return { description, headers, content: { 'application/json': schemasOf(collection).record } };
}

export const idParameter: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The id of the record.',
  schema: { type: 'string', format: 'uuid' },
};
