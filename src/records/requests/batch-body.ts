import { Refusal } from '../../base/errors.ts';
import type { Input } from '../../base/handler.ts';
import { isJsonObject, pointerTo } from '../../base/strict-json.ts';
import type { FieldError } from '../../collections/collection.ts';
import { type Fields, readJson } from '../fields.ts';
import { expectedTag, type Tags } from '../preconditions.ts';
import { maxParts } from '../rules/operation.ts';

/** Whatever MAX_BODY_BYTES is. */
export const largestBatchBody = 1_048_576;

const verbs = ['create', 'update', 'delete', 'act'] as const;
type Verb = (typeof verbs)[number];

/** One operation as it was sent: its form is right, and nothing else is known of it. */
export interface AskedOperation {
  readonly verb: Verb;
  readonly collection: string;
  /** Null: the service makes one. */
  readonly id: string | null;
  /** For an action its input. */
  readonly fields: Fields;
  readonly action: string;
  readonly expected: Tags | null;
}

type Member = 'in' | 'id' | 'fields' | 'input' | 'if_match';

const needed: Readonly<Record<Verb, readonly Member[]>> = {
  create: ['fields'],
  update: ['id', 'fields'],
  delete: ['id'],
  act: ['in', 'id'],
};
const allowed: Readonly<Record<Verb, readonly Member[]>> = {
  create: ['id'],
  update: ['if_match'],
  delete: ['if_match'],
  act: ['input', 'if_match'],
};

const isText = (value: unknown) => typeof value === 'string';
const forms: Readonly<Record<Member, readonly [fits: (value: unknown) => boolean, message: string]>> = {
  in: [isText, 'must be the name of a collection'],
  id: [isText, 'must be the id of a record'],
  fields: [isJsonObject, 'must be an object'],
  input: [isJsonObject, 'must be an object'],
  if_match: [(value) => expectedTag(value) !== null, 'must be the ETag of a record'],
};

/** The operations, and the text that makes this request the same as an earlier one. */
export function readOperations(input: Input): {
  readonly operations: readonly AskedOperation[];
  readonly text: string;
} {
  const body = readJson(input);
  const list = isJsonObject(body) ? body.operations : undefined;
  if (!isJsonObject(body) || !Array.isArray(list) || list.length < 1 || list.length > maxParts)
    throw invalid([{ pointer: '/operations', message: `must be a list of 1 to ${maxParts} operations` }]);
  const unknown = Object.keys(body).filter((name) => name !== 'operations');
  const errors = [
    ...unknown.slice(0, 1).map((name) => unknownMember('', name, ['operations'])),
    ...list.flatMap((one, index) => faultIn(one, pointerTo('/operations', index)) ?? []),
  ];
  if (errors.length > 0) throw invalid(errors);
  return { operations: list.map(toOperation), text: JSON.stringify(list) };
}

export function invalid(errors: readonly FieldError[]): Refusal {
  return new Refusal('batch_invalid', { members: { errors } });
}

/** The first fault; null: none. */
function faultIn(given: unknown, pointer: string): FieldError | null {
  const verb = isJsonObject(given) ? verbOf(given) : undefined;
  if (!isJsonObject(given) || verb === undefined)
    return { pointer, message: `must be an object with one of ${verbs.join(', ')}` };
  if (!isText(given[verb])) {
    const what = verb === 'act' ? 'an action' : 'a collection';
    return { pointer: pointerTo(pointer, verb), message: `must be the name of ${what}` };
  }
  const missing = needed[verb].find((name) => !Object.hasOwn(given, name));
  if (missing !== undefined) return { pointer: pointerTo(pointer, missing), message: 'is required' };
  const known = [...needed[verb], ...allowed[verb]];
  for (const name of Object.keys(given)) {
    if (name === verb) continue;
    const member = known.find((one) => one === name);
    if (member === undefined) return unknownMember(pointer, name, [verb, ...known]);
    const [fits, message] = forms[member];
    if (!fits(given[member])) return { pointer: pointerTo(pointer, member), message };
  }
  return null;
}

function verbOf(given: Fields): Verb | undefined {
  return verbs.find((verb) => Object.hasOwn(given, verb));
}

/** Longer names are not repeated. */
const longestName = 64;

function unknownMember(pointer: string, name: string, known: readonly string[]): FieldError {
  const expected = `expected ${known.join(', ')}`;
  if (name.length > longestName)
    return { pointer, message: `has a member that is not known here; ${expected}` };
  return { pointer: pointerTo(pointer, name), message: `is not known here; ${expected}` };
}

function toOperation(given: Fields): AskedOperation {
  const verb = verbOf(given) as Verb;
  return {
    verb,
    collection: String(verb === 'act' ? given.in : given[verb]),
    id: (given.id as string | undefined) ?? null,
    fields: (given.fields ?? given.input ?? {}) as Fields,
    action: verb === 'act' ? String(given.act) : '',
    expected: given.if_match === undefined ? null : expectedTag(given.if_match),
  };
}
