import type { Collection, Transition } from '../../collections/collection.ts';
import type { StoredRecord } from '../../storage/port.ts';
import { bodyOf, type Fields, mergePatch } from '../fields.ts';
import { fieldsOf } from '../present.ts';
import type { Creation, Of, RecordChange } from './operation.ts';

/** A record as a change makes it. */
export interface After {
  readonly record: StoredRecord;
  /** New fields, not checked yet. Null: the body stays the same, or was checked with the request. */
  readonly fields: Fields | null;
}

/** The record after a change, before it is checked. */
export function after(
  change: Exclude<RecordChange, Creation>,
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
