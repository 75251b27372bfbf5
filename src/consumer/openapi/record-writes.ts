import type { ErrorCode } from '../../base/errors.ts';
import type { Collection } from '../collections/collection.ts';
import { type About, headerParameter, idParameter, recordResponse } from './collection-about.ts';
import type { CollectionSchemas } from './collection-schemas.ts';
import { errorResponses } from './error-responses.ts';
import { limitsInWords } from './limits-in-words.ts';
import type { Headers, Operation, Parameter, RequestBody } from './openapi-types.ts';
import { budget, created, deprecation, replay, version } from './response-headers.ts';

const bodyErrors: readonly ErrorCode[] = [
  'json_invalid',
  'media_type_not_supported',
  'validation_failed',
  'record_too_large',
];

export function createOperation({ collection, schemas, writing, writeErrors }: About): Operation {
  return {
    operationId: `${collection.name}_create`,
    summary: `Make a record of ${collection.title}`,
    description: limitsInWords(collection),
    ...writing,
    parameters: [
      headerParameter('Idempotency-Key', {
        description:
          'A text of the caller that is new for each record. With the same key and body nothing is made a second time within 24 hours.',
        schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]([ -~]*[!-~])?$' },
      }),
    ],
    requestBody: fieldsBody(schemas),
    responses: {
      201: recordResponse('The record was made.', schemas, {
        ...created,
        ...replay,
        ...writeHeaders(collection),
      }),
      ...errorResponses([
        ...writeErrors,
        ...bodyErrors,
        'quota_exceeded',
        'idempotency_key_reused',
        'idempotency_record_gone',
      ]),
    },
  };
}

export function replaceOperation({ collection, schemas, writing, changeErrors }: About): Operation {
  return {
    operationId: `${collection.name}_replace`,
    summary: `Replace the fields of a record of ${collection.title}`,
    description: `With "If-None-Match: *" the record is made under this id. ${editableIn(collection)}`.trim(),
    ...writing,
    parameters: [
      idParameter,
      ifMatch(collection),
      headerParameter('If-None-Match', {
        description: '"*": make the record under this id, and only if there is none yet.',
        schema: { type: 'string', const: '*' },
      }),
    ],
    requestBody: fieldsBody(schemas),
    responses: {
      200: recordResponse('The record was replaced.', schemas, { ...version, ...writeHeaders(collection) }),
      201: recordResponse('The record was made.', schemas, { ...created, ...writeHeaders(collection) }),
      ...errorResponses(
        [...changeErrors, ...bodyErrors, ...editErrors(collection), 'quota_exceeded'],
        schemas.record,
      ),
    },
  };
}

export function patchOperation({ collection, schemas, writing, changeErrors }: About): Operation {
  const patch = { schema: schemas.patch, ...exampleOf(schemas) };
  return {
    operationId: `${collection.name}_patch`,
    summary: `Change some fields of a record of ${collection.title}`,
    description: `A merge patch (RFC 7396): null takes a field away. ${editableIn(collection)}`.trim(),
    ...writing,
    parameters: [idParameter, ifMatch(collection)],
    requestBody: {
      required: true,
      content: { 'application/merge-patch+json': patch, 'application/json': patch },
    },
    responses: {
      200: recordResponse('The record was changed.', schemas, { ...version, ...writeHeaders(collection) }),
      ...errorResponses([...changeErrors, ...bodyErrors, ...editErrors(collection)], schemas.record),
    },
  };
}

export function deleteOperation({ collection, schemas, writing, changeErrors }: About): Operation {
  return {
    operationId: `${collection.name}_delete`,
    summary: `Delete a record of ${collection.title}`,
    ...writing,
    parameters: [idParameter, ifMatch(collection)],
    responses: {
      204: { description: 'The record is gone.', headers: writeHeaders(collection) },
      ...errorResponses(changeErrors, schemas.record),
    },
  };
}

const who = { owner: 'by its owner', client: 'by a machine client', any: 'by its owner or a machine client' };

export function actionOperation(
  { collection, schemas, writing, changeErrors }: About,
  action: string,
): Operation {
  const ways = [...(collection.machine?.states ?? [])].flatMap(([state, transitions]) => {
    const transition = transitions.get(action);
    return transition === undefined ? [] : [`from ${state} to ${transition.to} (${who[transition.by]})`];
  });
  return {
    operationId: `${collection.name}_do_${action}`,
    summary: `Take a record of ${collection.title} through "${action}"`,
    description: `Leads ${ways.join(', ')}.`,
    ...writing,
    parameters: [idParameter, ifMatch(collection)],
    responses: {
      200: recordResponse('The record in its new state.', schemas, {
        ...version,
        ...writeHeaders(collection),
      }),
      ...errorResponses([...changeErrors, 'invalid_transition', 'action_not_allowed'], schemas.record),
    },
  };
}

function editErrors({ machine }: Collection): readonly ErrorCode[] {
  return machine === null ? [] : ['not_editable'];
}

function editableIn({ machine }: Collection): string {
  if (machine === null || machine.editable.size === machine.states.size) return '';
  const states = [...machine.editable];
  return states.length === 0
    ? 'Possible in no state.'
    : `Possible in these states only: ${states.join(', ')}.`;
}

function ifMatch({ concurrency }: Collection): Parameter {
  return headerParameter('If-Match', {
    description: `The ETag of the version that is meant; 412 when the record is another one by now. ${
      concurrency === 'required' ? 'Without it the answer is 428.' : 'Without it the last write wins.'
    }`,
  });
}

function fieldsBody(schemas: CollectionSchemas): RequestBody {
  const media = { schema: schemas.fields, ...exampleOf(schemas) };
  return { required: true, content: { 'application/json': media } };
}

function exampleOf({ example }: CollectionSchemas): { readonly example?: object } {
  return example === null ? {} : { example: example.fields };
}

function writeHeaders({ deprecated }: Collection): Headers {
  return { ...budget('writes'), ...deprecation(deprecated) };
}
