import type { Description } from '../../../openapi/description.ts';
import { sometimes, version } from '../../../openapi/headers.ts';
import type { Collection } from '../../collections/collection.ts';
import { describeIn, headerParameter, idParameter, recordAnswer, schemasOf } from './in-collection.ts';
import { listParameters } from './list-parameters.ts';

/** The routes of requests/read.ts. */

export function describeList(collection: Collection): Description {
  const next = sometimes('The next page, with rel="next" (RFC 8288); absent on the last one.');
  const content = { 'application/json': schemasOf(collection).page };
  return describeIn(collection, 'read', {
    name: 'list',
    summary: `List ${collection.title}`,
    description: whatIsListed(collection),
    parameters: listParameters(collection),
    answers: { 200: { description: 'A page.', headers: { Link: next }, content } },
    errors: ['cursor_invalid'],
  });
}

/** Of the few records of one owner any filter is cheap; everybody's need an index that leads to them. */
function whatIsListed({ access }: Collection): string {
  const isEverybodys = access.read === 'everyone';
  const sentences = [`A page of ${isEverybodys ? "everybody's" : "the caller's own"} records.`];
  if (!isEverybodys && access.clients === 'any') sentences.push("A machine client sees everybody's.");
  if (isEverybodys || access.clients === 'any')
    sentences.push(
      "Everybody's are filtered by one field, by which they are then sorted, or by state and created_at; anything else is 400.",
    );
  return sentences.join(' ');
}

export function describeRead(collection: Collection): Description {
  const condition = 'An ETag. While the record is that version the answer is 304 without it.';
  return describeIn(collection, 'read', {
    name: 'read',
    summary: `Read a record of ${collection.title}`,
    parameters: [idParameter, headerParameter('If-None-Match', condition)],
    answers: {
      200: recordAnswer(collection, 'The record.', version),
      304: { description: 'The record is still that version.', headers: version },
    },
  });
}
