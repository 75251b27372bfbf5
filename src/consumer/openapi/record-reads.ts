import type { Collection } from '../collections/collection.ts';
import { type About, headerParameter, idParameter, recordResponse } from './collection-about.ts';
import { errorResponses } from './error-responses.ts';
import { listParameters } from './list-parameters.ts';
import type { Headers, Operation } from './openapi-types.ts';
import { budget, deprecation, nextPage, version } from './response-headers.ts';

export function listOperation({ collection, schemas, reading, readErrors }: About): Operation {
  const { name, title } = collection;
  const example =
    schemas.example === null ? {} : { example: { items: [schemas.example.record], next: null } };
  return {
    operationId: `${name}_list`,
    summary: `List ${title}`,
    description: whatIsListed(collection),
    ...reading,
    parameters: listParameters(collection),
    responses: {
      200: {
        description: 'A page.',
        headers: { ...readHeaders(collection), ...nextPage },
        content: { 'application/json': { schema: schemas.page, ...example } },
      },
      ...errorResponses([...readErrors, 'query_invalid', 'cursor_invalid']),
    },
  };
}

/** Of the few records of one owner any filter is cheap; everybody's need an index that leads to them. */
function whatIsListed({ access }: Collection): string {
  const isEverybodys = access.read === 'everyone';
  const sentences = [
    `A page of ${isEverybodys ? "everybody's" : "the caller's own"} records.`,
    ...(!isEverybodys && access.clients === 'any' ? ["A machine client sees everybody's."] : []),
    ...(isEverybodys || access.clients === 'any'
      ? [
          "Everybody's are filtered by one field, by which they are then sorted, or by state and created_at; anything else is 400.",
        ]
      : []),
  ];
  return sentences.join(' ');
}

export function readOperation({ collection, schemas, reading, readErrors }: About): Operation {
  const headers = { ...version, ...readHeaders(collection) };
  return {
    operationId: `${collection.name}_read`,
    summary: `Read a record of ${collection.title}`,
    ...reading,
    parameters: [
      idParameter,
      headerParameter('If-None-Match', {
        description: 'An ETag. While the record is that version the answer is 304 without it.',
      }),
    ],
    responses: {
      200: recordResponse('The record.', schemas, headers),
      304: { description: 'The record is still that version.', headers },
      ...errorResponses([...readErrors, 'not_found', 'header_invalid']),
    },
  };
}

function readHeaders({ deprecated }: Collection): Headers {
  return { ...budget('reads'), ...deprecation(deprecated) };
}
