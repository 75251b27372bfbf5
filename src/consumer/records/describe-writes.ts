import type { ErrorCode } from '../../base/errors.ts';
import type { Description } from '../../openapi/description.ts';
import { always, sometimes, version } from '../../openapi/headers.ts';
import type { Headers, Parameter } from '../../openapi/openapi-types.ts';
import type { Collection } from '../collections/collection.ts';
import { limitsAsData, limitsInWords } from '../collections/limits-in-words.ts';
import { describeCollection, headerParameter, idParameter } from './describe-collection.ts';

/** The routes of write-requests.ts. */

const created: Headers = { Location: always('The address of the record.'), ...version };
const bodyErrors: readonly ErrorCode[] = ['json_invalid', 'validation_failed', 'record_too_large'];

/** What all writes say alike. */
function describeWrite(collection: Collection) {
  const { about, ...rest } = describeCollection(collection, 'write');
  const { limits } = collection;
  const errors: readonly ErrorCode[] = [
    'write_budget_spent',
    ...(limits.newcomer === null ? [] : (['newcomer_budget_spent'] as const)),
    'newcomers_paused',
  ];
  return { ...rest, about: { ...about, limits: limitsAsData(limits), budget: 'writes' as const }, errors };
}

/** What all changes to a record that exists say alike. */
function describeChange(collection: Collection) {
  const { errors, ...write } = describeWrite(collection);
  const isRequired = collection.concurrency === 'required';
  const ifMatch = `The ETag of the version that is meant; 412 when the record is another one by now. Without it ${
    isRequired ? 'the answer is 428.' : 'the last write wins.'
  }`;
  const changeErrors: readonly ErrorCode[] = [
    ...errors,
    ...(collection.access.read === 'everyone' ? (['not_owner'] as const) : []),
    'precondition_failed',
    ...(isRequired ? (['precondition_required'] as const) : []),
  ];
  const parameters: readonly Parameter[] = [idParameter, headerParameter('If-Match', ifMatch)];
  return { ...write, parameters, errors: changeErrors };
}

export function describeCreate(collection: Collection): Description {
  const { about, schemas, errors, answer } = describeWrite(collection);
  const key =
    'A text of the caller that is new for each record. With the same key and body nothing is made a second time within 24 hours.';
  const keySchema = { minLength: 1, maxLength: 255, pattern: '^[!-~]([ -~]*[!-~])?$' };
  // Such a request has made nothing, and counts as a read.
  const replayed = sometimes('"true" when an earlier request with the same key has made the record.');
  return {
    ...about,
    name: `${collection.name}_create`,
    summary: `Make a record of ${collection.title}`,
    description: limitsInWords(collection),
    parameters: [headerParameter('Idempotency-Key', key, keySchema)],
    body: { 'application/json': schemas.fields },
    answers: { 201: answer('The record was made.', { ...created, 'Idempotency-Replayed': replayed }) },
    errors: [...errors, ...bodyErrors, 'quota_exceeded', 'idempotency_key_reused', 'idempotency_record_gone'],
  };
}

export function describeReplace(collection: Collection): Description {
  const { about, schemas, parameters, errors, answer } = describeChange(collection);
  const ifNoneMatch = '"*": make the record under this id, and only if there is none yet.';
  return {
    ...about,
    name: `${collection.name}_replace`,
    summary: `Replace the fields of a record of ${collection.title}`,
    description: `With "If-None-Match: *" the record is made under this id. ${editableIn(collection)}`.trim(),
    parameters: [...parameters, headerParameter('If-None-Match', ifNoneMatch, { const: '*' })],
    body: { 'application/json': schemas.fields },
    answers: {
      200: answer('The record was replaced.', version),
      201: answer('The record was made.', created),
    },
    errors: [...errors, ...bodyErrors, ...editErrors(collection), 'quota_exceeded'],
  };
}

export function describePatch(collection: Collection): Description {
  const { about, schemas, parameters, errors, answer } = describeChange(collection);
  return {
    ...about,
    name: `${collection.name}_patch`,
    summary: `Change some fields of a record of ${collection.title}`,
    description: `A merge patch (RFC 7396): null takes a field away. ${editableIn(collection)}`.trim(),
    parameters,
    body: { 'application/merge-patch+json': schemas.patch, 'application/json': schemas.patch },
    answers: { 200: answer('The record was changed.', version) },
    errors: [...errors, ...bodyErrors, ...editErrors(collection)],
  };
}

export function describeRemove(collection: Collection): Description {
  const { about, parameters, errors, answer } = describeChange(collection);
  return {
    ...about,
    name: `${collection.name}_delete`,
    summary: `Delete a record of ${collection.title}`,
    parameters,
    answers: { 204: answer('The record is gone.', {}, false) },
    errors,
  };
}

const who = { owner: 'by its owner', client: 'by a machine client', any: 'by its owner or a machine client' };

export function describeAction(collection: Collection, action: string): Description {
  const { about, parameters, errors, answer } = describeChange(collection);
  const ways = [...(collection.machine?.states ?? [])].flatMap(([state, transitions]) => {
    const transition = transitions.get(action);
    return transition === undefined ? [] : [`from ${state} to ${transition.to} (${who[transition.by]})`];
  });
  return {
    ...about,
    name: `${collection.name}_do_${action}`,
    summary: `Take a record of ${collection.title} through "${action}"`,
    description: `Leads ${ways.join(', ')}.`,
    parameters,
    answers: { 200: answer('The record in its new state.', version) },
    errors: [...errors, 'invalid_transition', 'action_not_allowed'],
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
