import type { ErrorCode } from '../../base/errors.ts';
import {
  type Collection,
  type NamedTransition,
  statesOf,
  transitionsOf,
} from '../../collections/collection.ts';
import { statesIn } from '../../collections/declaration.ts';
import { limitsText } from '../../collections/limits.ts';
import { type Description, headerParameter } from '../../openapi/description.ts';
import { always, sometimes, version } from '../../openapi/headers.ts';
import type { Headers, Parameter, Schemas } from '../../openapi/openapi-types.ts';
import { closedObject } from '../../openapi/schemas.ts';
import { wordsFor } from '../singular.ts';
import {
  aliasSchema,
  describeIn,
  idParameter,
  type OwnDescription,
  recordAnswer,
  schemasOf,
} from './in-collection.ts';

/** The routes of requests/write.ts. */

const bodyErrors: readonly ErrorCode[] = ['json_invalid', 'validation_failed', 'record_too_large'];
const created: Headers = {
  Location: always('The address of the record.'),
  ...version,
  'Idempotency-Replayed': sometimes(
    '"true" when an earlier request with the same key has created the record.',
  ),
};

export function idempotencyParameter(of: string): Parameter {
  const about = `An idempotency key: a text that the caller makes up for each ${of}. A retry with the same key and body within 24 hours creates nothing again.`;
  const schema = { minLength: 1, maxLength: 255, pattern: '^[!-~]([ -~]*[!-~])?$' };
  return headerParameter('Idempotency-Key', about, schema);
}

export function describeCreate(collection: Collection): Description {
  const { limits, access } = collection;
  const ofClients = access.clients === 'none' ? '' : ' Only the size limit applies to machine clients.';
  return describeWrite(collection, {
    name: 'create',
    summary: `Create ${wordsFor(collection).one}`,
    description: `${limitsText(limits)}${ofClients}`,
    parameters: [idempotencyParameter('record')],
    body: { 'application/json': schemasOf(collection).fields },
    answers: { 201: recordAnswer(collection, 'The record was created.', created) },
    errors: [
      ...bodyErrors,
      ...(collection.isShared ? (['role_required'] as const) : []),
      'quota_exceeded',
      ...creationErrors(collection),
      'idempotency_key_reused',
      'idempotency_record_gone',
    ],
  });
}

export function describeReplace(collection: Collection): Description {
  const ifNoneMatch =
    '"*": create the record with this id, a UUID of any version but 7. An id is used once: 404 if another caller has it, or if its record was deleted or has expired.';
  // In a collection that has children, an id is never reused.
  const isMade = collection.children.length === 0;
  const about = isMade ? `With "If-None-Match: *" the record is created with this id. ` : '';
  return describeChange(collection, {
    name: 'replace',
    summary: `Replace the fields of ${wordsFor(collection).one}`,
    description: `${about}${editableIn(collection)}`.trim(),
    parameters: isMade ? [headerParameter('If-None-Match', ifNoneMatch, { const: '*' })] : [],
    body: { 'application/json': schemasOf(collection).fields },
    answers: {
      200: recordAnswer(collection, 'The record after the change.', version),
      ...(isMade ? { 201: recordAnswer(collection, 'The record was created.', created) } : {}),
    },
    errors: [
      ...bodyErrors,
      ...editErrors(collection),
      ...uniqueErrors(collection),
      ...(isMade ? (['quota_exceeded'] as const) : []),
      ...(isMade ? creationErrors(collection) : []),
    ],
  });
}

export function describePatch(collection: Collection): Description {
  const { patch } = schemasOf(collection);
  return describeChange(collection, {
    name: 'patch',
    summary: `Change some fields of ${wordsFor(collection).one}`,
    description: `A merge patch (RFC 7396): null removes a field. ${editableIn(collection)}`.trim(),
    body: { 'application/merge-patch+json': patch, 'application/json': patch },
    answers: { 200: recordAnswer(collection, 'The record after the change.', version) },
    errors: [...bodyErrors, ...editErrors(collection), ...uniqueErrors(collection)],
  });
}

export function describeRemove(collection: Collection): Description {
  const isRestricted = collection.children.some(({ parent }) => parent.onDelete === 'restrict');
  return describeChange(collection, {
    name: 'delete',
    summary: `Delete ${wordsFor(collection).one}`,
    answers: { 204: { description: 'The record was deleted.' } },
    errors: [
      ...(collection.isShared ? editErrors(collection) : []),
      ...(isRestricted ? (['has_children'] as const) : []),
    ],
  });
}

const who: Readonly<Record<string, string>> = {
  owner: 'its owner',
  client: 'a machine client',
  everyone: 'every caller',
};

function byWhom(roles: readonly string[]): string {
  return `by ${roles.map((role) => who[role] ?? `a caller with the role "${role}"`).join(' or ')}`;
}

export function describeAction(collection: Collection, action: string): Description {
  const alike = Map.groupBy(transitionsBy(collection, action), ({ to, by }) => `to ${to} (${byWhom(by)})`);
  const ways = [...alike].map(([end, all]) => `from ${all.map(({ from }) => from).join(' or ')} ${end}`);
  return describeChange(collection, {
    name: `do_${action}`,
    summary: `${inWords(action)} ${wordsFor(collection).one}`,
    description: `Leads ${ways.join(', ')}.`,
    ...actionInput(collection, action),
    answers: { 200: recordAnswer(collection, 'The record after the change.', version) },
    errors: ['invalid_transition', 'action_not_allowed', ...actionErrors(collection, action)],
  });
}

function transitionsBy(collection: Collection, name: string): readonly NamedTransition[] {
  return transitionsOf(collection).filter(({ action }) => action === name);
}

/** The fields that the action sets. A field that only some states set may be missing. */
function actionInput(collection: Collection, action: string): Pick<OwnDescription, 'body'> {
  const transitions = transitionsBy(collection, action);
  const sets = transitions.flatMap((transition) => transition.sets);
  const hasChoice = transitions.some(({ chosenFrom }) => chosenFrom !== null);
  if (sets.length === 0 && !hasChoice) return {};
  const fields = (collection.schema.properties ?? {}) as Schemas;
  const isRequired = (name: string) =>
    transitions.every((one) => one.sets.some((set) => set.name === name && !set.isOptional));
  const names = [...new Set(sets.map(({ name }) => name))];
  const properties = {
    ...(hasChoice ? { member: { ...aliasSchema, description: 'The person who gets the role.' } } : {}),
    ...Object.fromEntries(names.map((name) => [name, fields[name] ?? {}])),
  };
  const schema = closedObject(
    properties,
    names.filter((name) => !isRequired(name)),
  );
  return { body: { 'application/json': { schema } } };
}

function actionErrors(collection: Collection, action: string): readonly ErrorCode[] {
  const transitions = transitionsBy(collection, action);
  const grants = transitions.some((transition) => transition.grants !== null);
  return [
    ...(collection.isShared ? bodyErrors : []),
    ...(grants ? (['role_full', 'quota_exceeded'] as const) : []),
    ...(transitions.some(({ whileParentAccepts }) => whileParentAccepts) ? (['parent_closed'] as const) : []),
    ...(collection.parent?.capacity ? (['no_capacity'] as const) : []),
    ...uniqueErrors(collection),
  ];
}

function creationErrors(collection: Collection): readonly ErrorCode[] {
  const { parent } = collection;
  const isFull = parent?.capacity && parent.capacity.overflow === null;
  return [
    ...(parent === null ? [] : (['parent_closed'] as const)),
    ...(isFull ? (['no_capacity'] as const) : []),
    ...uniqueErrors(collection),
  ];
}

function uniqueErrors({ unique }: Collection): readonly ErrorCode[] {
  return unique.length === 0 ? [] : ['not_unique'];
}

/** "hand_out" is "Hand out". */
function inWords(action: string): string {
  const words = action.replaceAll(/[_-]+/g, ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

function describeChange(collection: Collection, own: OwnDescription): Description {
  const isRequired = collection.concurrency === 'required';
  const without = isRequired ? 'the answer is 428' : 'the last write wins';
  const ifMatch = `The ETag of the version to change; 412 if the record has changed since. Without it ${without}.`;
  const { parameters = [], errors = [] } = own;
  return describeWrite(collection, {
    ...own,
    parameters: [idParameter, headerParameter('If-Match', ifMatch), ...parameters],
    errors: [
      ...(isReadByOthers(collection) ? ([collection.isShared ? 'role_required' : 'not_owner'] as const) : []),
      'precondition_failed',
      ...(isRequired ? (['precondition_required'] as const) : []),
      ...errors,
    ],
  });
}

export function describeWrite(collection: Collection, own: OwnDescription): Description {
  const { limits } = collection;
  const newcomer = limits.newcomer === null ? [] : (['newcomer_budget_spent'] as const);
  const errors = ['write_budget_spent', ...newcomer, 'newcomers_paused', ...(own.errors ?? [])] as const;
  return describeIn(collection, 'write', { ...own, errors });
}

function editErrors({ machine }: Collection): readonly ErrorCode[] {
  return machine === null ? [] : ['not_editable'];
}

function editableIn(collection: Collection): string {
  const all = statesOf(collection);
  const editable = statesIn(collection.access.update, all);
  if (editable.length === all.length) return '';
  const states = editable.join(', ');
  return states === '' ? 'Possible in no state.' : `Possible in these states only: ${states}.`;
}

/** True if a caller may see a record that it may not change. */
function isReadByOthers({ access: { read }, isShared }: Collection): boolean {
  return isShared || Object.hasOwn(read, 'everyone');
}
