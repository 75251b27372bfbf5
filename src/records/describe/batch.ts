import type { Collection } from '../../collections/collection.ts';
import { type Description, tags } from '../../openapi/description.ts';
import { sometimes } from '../../openapi/headers.ts';
import type { Schema } from '../../openapi/openapi-types.ts';
import { closedObject, object, text } from '../../openapi/schemas.ts';
import { maxParts } from '../rules/operation.ts';
import { idempotencyParameter } from './writes.ts';

/** The route of requests/batch.ts. */

export function describeBatch(collections: readonly Collection[]): Description {
  const forPeople = collections.some(({ access }) => access.clients === 'none');
  const result = object({ status: { enum: [200, 201, 204] }, etag: text, record: { type: 'object' } }, [
    'etag',
    'record',
  ]);
  const answer = object({
    results: {
      type: 'array',
      items: result,
      description: 'One for each operation, in order: the answer that the single request would get.',
    },
  });
  const replayed = sometimes(
    '"true" when an earlier request with the same key had the same batch. The answer then has the present records, without those that the caller can no longer read.',
  );
  return {
    name: 'runBatch',
    tag: tags.caller,
    summary: 'Several changes at once',
    description: `Up to ${maxParts} operations on any collections, in order: all of them are done, or none. Each is decided and counted as the single request would be, and sees what those before it have changed.`,
    parameters: [idempotencyParameter('batch')],
    body: {
      'application/json': {
        schema: closedObject({ operations: operationsSchema(collections) }),
      },
    },
    answers: {
      200: {
        description: 'All operations were done.',
        headers: { 'Idempotency-Replayed': replayed },
        content: { 'application/json': { schema: answer } },
      },
    },
    errors: [
      'json_invalid',
      'batch_invalid',
      'batch_refused',
      'idempotency_key_reused',
      ...(forPeople ? (['client_not_admitted'] as const) : []),
    ],
    budget: 'writes',
  };
}

function operationsSchema(collections: readonly Collection[]): Schema {
  const name = { ...text, enum: collections.map((collection) => collection.name) };
  const actions = new Set(collections.flatMap(({ machine }) => machine?.actions ?? []));
  const id = { type: 'string', format: 'uuid' };
  const expected = {
    if_match: { ...text, description: 'The ETag of the version to change, with or without its quotes.' },
  };
  const fields = { type: 'object' };
  const chosen = {
    ...id,
    description: 'As with PUT and "If-None-Match: *". Without it the service makes one.',
  };
  const act = { act: { ...text, enum: [...actions] }, in: name, id, input: fields, ...expected };
  const forms = [
    closedObject({ create: name, fields, id: chosen }, ['id']),
    closedObject(
      { update: name, id, fields: { ...fields, description: 'A merge patch (RFC 7396).' }, ...expected },
      ['if_match'],
    ),
    closedObject({ delete: name, id, ...expected }, ['if_match']),
    ...(actions.size === 0 ? [] : [closedObject(act, ['input', 'if_match'])]),
  ];
  return { type: 'array', minItems: 1, maxItems: maxParts, items: { oneOf: forms } };
}
