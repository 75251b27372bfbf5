import { Refusal } from '../../base/errors.ts';
import { createRevision } from '../../base/random.ts';
import type { Collection } from '../../collections/collection.ts';
import { actionFields } from '../../collections/roles.ts';
import { type Fields, ownFields, toBody } from '../fields.ts';
import { readAlias } from '../people-names.ts';
import type { Tags } from '../preconditions.ts';
import { setByAction } from '../rules/change.ts';
import type { Of } from '../rules/operation.ts';

/** The changes that requests and the operations of a batch ask for. Checks everything that needs no database. */

export function named({ name }: Collection, id: string) {
  return { collection: name, id, revision: createRevision() };
}

export function toCreate(collection: Collection, id: string, fields: Fields): Of<'create'> {
  return { ...named(collection, id), kind: 'create', ...newFields(collection, fields), key: null };
}

/** Under an id that the caller has chosen. */
export function toCreateUnder(collection: Collection, id: string, fields: Fields): Of<'create_under'> {
  return { ...named(collection, id), kind: 'create_under', ...newFields(collection, fields) };
}

/** In a collection that has children, an id is never reused: they would get another parent. */
export function takesIds({ children }: Collection): boolean {
  return children.length === 0;
}

export function toReplace(
  collection: Collection,
  id: string,
  fields: Fields,
  expected: Tags | null,
): Of<'replace'> {
  const body = toBody(collection, ownFields(fields, collection));
  return { ...named(collection, id), kind: 'replace', body, expected };
}

export function toPatch(
  collection: Collection,
  id: string,
  patch: Fields,
  expected: Tags | null,
): Of<'patch'> {
  return { ...named(collection, id), kind: 'patch', patch: ownFields(patch, collection), expected };
}

export function toRemove(collection: Collection, id: string, expected: Tags | null): Of<'remove'> {
  return { ...named(collection, id), kind: 'remove', expected };
}

/** Whether an action looks at its input. */
export function takesInput(collection: Collection): boolean {
  return collection.isShared || actionFields(collection).size > 0;
}

export function toAct(
  collection: Collection,
  id: string,
  action: string,
  given: Fields,
  expected: Tags | null,
): Of<'act'> {
  const input = ownFields(given, collection);
  const change = { ...named(collection, id), kind: 'act', action, expected } as const;
  if (!hasChoice(collection, action)) return { ...change, input };
  const { member, ...others } = input;
  const chosen = typeof member === 'string' ? readAlias(member) : null;
  return { ...change, input: others, chosen: chosen ?? new Uint8Array(16) };
}

function hasChoice({ machine }: Collection, action: string): boolean {
  return [...(machine?.states.values() ?? [])].some(
    (actions) => (actions.get(action)?.chosenFrom ?? null) !== null,
  );
}

/** Fields that only actions set are refused in a new record. */
function newFields(collection: Collection, given: Fields) {
  const fields = ownFields(given, collection);
  const errors = [...actionFields(collection)].flatMap(([name, actions]) =>
    Object.hasOwn(fields, name) ? [setByAction(name, actions)] : [],
  );
  if (errors.length > 0) throw new Refusal('validation_failed', { members: { errors } });
  const { parent } = collection;
  return {
    body: toBody(collection, fields),
    parentId: parent === null ? null : String(fields[parent.field]),
  };
}
