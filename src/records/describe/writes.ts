import type { ErrorCode } from '../../base/errors.ts';
import type { Collection } from '../../collections/collection.ts';
import { limitsAsData, limitsText } from '../../collections/limits.ts';
import { type Description, headerParameter } from '../../openapi/description.ts';
import { always, sometimes, version } from '../../openapi/headers.ts';
import type { Headers } from '../../openapi/openapi-types.ts';
import { describeIn, idParameter, type OwnDescription, recordAnswer, schemasOf } from './in-collection.ts';

/** The routes of requests/write.ts. */

const bodyErrors: readonly ErrorCode[] = ['json_invalid', 'validation_failed', 'record_too_large'];
const created: Headers = { Location: always('The address of the record.'), ...version };

export function describeCreate(collection: Collection): Description {
  const key =
    'A text of the caller that is new for each record. With the same key and body nothing is made a second time within 24 hours.';
  const keySchema = { minLength: 1, maxLength: 255, pattern: '^[!-~]([ -~]*[!-~])?$' };
  const replayed = sometimes('"true" when an earlier request with the same key has made the record.');
  const headers = { ...created, 'Idempotency-Replayed': replayed };
  return describeWrite(collection, {
    name: 'create',
    summary: 'Create a record',
    description: limitsText(collection.limits),
    parameters: [headerParameter('Idempotency-Key', key, keySchema)],
    body: { 'application/json': schemasOf(collection).fields },
    answers: { 201: recordAnswer(collection, 'The record was made.', headers) },
    errors: [...bodyErrors, 'quota_exceeded', 'idempotency_key_reused', 'idempotency_record_gone'],
  });
}

export function describeReplace(collection: Collection): Description {
  const ifNoneMatch =
    '"*": make the record under this id, a UUID of any version but 7. An id is used once: 404 if another caller has it, or if its record was deleted or has expired.';
  return describeChange(collection, {
    name: 'replace',
    summary: 'Replace the fields of a record',
    description: `With "If-None-Match: *" the record is made under this id. ${editableIn(collection)}`.trim(),
    parameters: [headerParameter('If-None-Match', ifNoneMatch, { const: '*' })],
    body: { 'application/json': schemasOf(collection).fields },
    answers: {
      200: recordAnswer(collection, 'The record was replaced.', version),
      201: recordAnswer(collection, 'The record was made.', created),
    },
    errors: [...bodyErrors, ...editErrors(collection), 'quota_exceeded'],
  });
}

export function describePatch(collection: Collection): Description {
  const { patch } = schemasOf(collection);
  return describeChange(collection, {
    name: 'patch',
    summary: 'Change some fields of a record',
    description: `A merge patch (RFC 7396): null takes a field away. ${editableIn(collection)}`.trim(),
    body: { 'application/merge-patch+json': patch, 'application/json': patch },
    answers: { 200: recordAnswer(collection, 'The record was changed.', version) },
    errors: [...bodyErrors, ...editErrors(collection)],
  });
}

export function describeRemove(collection: Collection): Description {
  return describeChange(collection, {
    name: 'delete',
    summary: 'Delete a record',
    answers: { 204: { description: 'The record is gone.' } },
  });
}

const who = { owner: 'by its owner', client: 'by a machine client', any: 'by its owner or a machine client' };

export function describeAction(collection: Collection, action: string): Description {
  const ways = [...(collection.machine?.states ?? [])].flatMap(([state, transitions]) => {
    const transition = transitions.get(action);
    return transition === undefined ? [] : [`from ${state} to ${transition.to} (${who[transition.by]})`];
  });
  return describeChange(collection, {
    name: `do_${action}`,
    summary: inWords(action),
    description: `Leads ${ways.join(', ')}.`,
    answers: { 200: recordAnswer(collection, 'The record in its new state.', version) },
    errors: ['invalid_transition', 'action_not_allowed'],
  });
}

/** "hand_out" is "Hand out". */
function inWords(action: string): string {
  const words = action.replaceAll(/[_-]+/g, ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

function describeChange(collection: Collection, own: OwnDescription): Description {
  const isRequired = collection.concurrency === 'required';
  const without = isRequired ? 'the answer is 428' : 'the last write wins';
  const ifMatch = `The ETag of the version that is meant; 412 when the record is another one by now. Without it ${without}.`;
  const { parameters = [], errors = [] } = own;
  return describeWrite(collection, {
    ...own,
    parameters: [idParameter, headerParameter('If-Match', ifMatch), ...parameters],
    errors: [
      ...(collection.access.read === 'everyone' ? (['not_owner'] as const) : []),
      'precondition_failed',
      ...(isRequired ? (['precondition_required'] as const) : []),
      ...errors,
    ],
  });
}

function describeWrite(collection: Collection, own: OwnDescription): Description {
  const { limits } = collection;
  const newcomer = limits.newcomer === null ? [] : (['newcomer_budget_spent'] as const);
  const errors = ['write_budget_spent', ...newcomer, 'newcomers_paused', ...(own.errors ?? [])] as const;
  return describeIn(collection, 'write', { ...own, limits: limitsAsData(limits), errors });
}

function editErrors({ machine }: Collection): readonly ErrorCode[] {
  return machine === null ? [] : ['not_editable'];
}

function editableIn({ machine }: Collection): string {
  if (machine === null || machine.editable.size === machine.states.size) return '';
  const states = [...machine.editable].join(', ');
  return states === '' ? 'Possible in no state.' : `Possible in these states only: ${states}.`;
}
