import type { ErrorCode } from '../../base/errors.ts';
import type { Collection } from '../collections/collection.ts';
import { type CollectionSchemas, collectionSchemas } from './collection-schemas.ts';
import { anyBearer } from './error-responses.ts';
import { limitsAsData } from './limits-in-words.ts';
import type { Headers, Operation, Parameter, Response } from './openapi-types.ts';

/** What the operations of a collection have in common. */
export interface About {
  readonly collection: Collection;
  readonly schemas: CollectionSchemas;
  readonly reading: Pick<Operation, 'tags' | 'security' | 'deprecated'>;
  readonly writing: Pick<Operation, 'tags' | 'security' | 'deprecated' | 'x-limits'>;
  readonly readErrors: readonly ErrorCode[];
  /** Of every change to a record that exists. */
  readonly changeErrors: readonly ErrorCode[];
  /** Of whatever is counted. */
  readonly writeErrors: readonly ErrorCode[];
}

export function aboutCollection(collection: Collection): About {
  const { name, access, limits, deprecated } = collection;
  const common = { tags: [name], ...(deprecated === null ? {} : { deprecated: true as const }) };
  const admission: readonly ErrorCode[] = access.clients === 'none' ? ['client_not_admitted'] : [];
  const security = (scope: string | null) => {
    const scopes = scope === null ? [] : [scope];
    return access.clients === 'none' ? [{ bearer: scopes }] : [{ bearer: scopes }, { client: scopes }];
  };
  const writeErrors: readonly ErrorCode[] = [
    ...anyBearer,
    ...admission,
    'header_invalid',
    'write_budget_spent',
    ...(limits.newcomer === null ? [] : (['newcomer_budget_spent'] as const)),
    'newcomers_paused',
    'read_limit_reached',
  ];
  return {
    collection,
    schemas: collectionSchemas(collection),
    reading: { ...common, security: security(access.scopes.read) },
    writing: { ...common, security: security(access.scopes.write), 'x-limits': limitsAsData(limits) },
    readErrors: [...anyBearer, ...admission, 'read_limit_reached'],
    writeErrors,
    changeErrors: [
      ...writeErrors,
      'not_found',
      ...(access.read === 'everyone' ? (['not_owner'] as const) : []),
      'precondition_failed',
      ...(collection.concurrency === 'required' ? (['precondition_required'] as const) : []),
    ],
  };
}

export const idParameter: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The id of the record.',
  schema: { type: 'string', format: 'uuid' },
};

export function headerParameter(
  name: string,
  about: Pick<Parameter, 'description'> & Partial<Parameter>,
): Parameter {
  return { name, in: 'header', schema: { type: 'string' }, ...about };
}

export function recordResponse(
  description: string,
  { record, example }: CollectionSchemas,
  headers: Headers,
): Response {
  const media = { schema: record, ...(example === null ? {} : { example: example.record }) };
  return { description, headers, content: { 'application/json': media } };
}
