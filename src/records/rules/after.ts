import type { Collection, Transition } from '../../collections/collection.ts';
import type { StoredRecord } from '../../storage/port.ts';
import { bodyOf, type Fields, mergePatch } from '../fields.ts';
import { fieldsOf } from '../present.ts';
import type { Of, RecordChange } from './operation.ts';

/** A record as a change makes it. */
export interface After {
  readonly record: StoredRecord;
  /** New fields, not checked yet. Null: the body stays the same, or was checked with the request. */
  readonly fields: Fields | null;
}

type NewRecord = Of<'create' | 'create_under'>;

/** A new record of this caller, in the initial state: what the parent changes in that is not known here. */
export function newRecord(
  { id, parentId, revision, body }: NewRecord,
  { name, machine }: Collection,
  owner: string,
  now: number,
): StoredRecord {
  const state = machine?.initial ?? null;
  return { collection: name, id, owner, parentId, state, revision, createdAt: now, updatedAt: now, body };
}

/** The record after a change, before it is checked. */
export function after(
  change: Exclude<RecordChange, NewRecord>,
  before: StoredRecord,
  collection: Collection,
  now: number,
): After {
  const changed = { ...before, revision: change.revision, updatedAt: now };
  if (change.kind === 'replace') return { record: { ...changed, body: change.body }, fields: null };
  if (change.kind === 'patch') {
    const fields = mergePatch(fieldsOf(before), change.patch) as Fields;
    return { record: { ...changed, body: bodyOf(collection, fields) }, fields };
  }
  if (change.kind !== 'act') return { record: changed, fields: null };
  const transition = transitionOf(change, before, collection);
  const state = transition?.to ?? before.state;
  if (transition === undefined || transition.sets.length + transition.clears.length === 0)
    return { record: { ...changed, state }, fields: null };
  const kept = Object.entries(fieldsOf(before)).filter(([name]) => !transition.clears.includes(name));
  const fields = { ...Object.fromEntries(kept), ...change.input };
  return { record: { ...changed, state, body: bodyOf(collection, fields) }, fields };
}

export function transitionOf(
  { action }: Pick<Of<'act'>, 'action'>,
  { state }: Pick<StoredRecord, 'state'>,
  { machine }: Pick<Collection, 'machine'>,
): Transition | undefined {
  return machine?.states.get(state ?? '')?.get(action);
}
