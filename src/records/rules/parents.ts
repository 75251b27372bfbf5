import { Refusal } from '../../base/errors.ts';
import { type Capacity, type Collection, parentError } from '../../collections/collection.ts';
import { parentOf } from '../../collections/lineage.ts';
import { uniqueKey } from '../../collections/unique.ts';
import { eventOfChange } from '../../events/catalogue.ts';
import type { RecordContext, RecordInContext, RecordName, StoredRecord } from '../../storage/port.ts';
import { acceptsNow } from '../accepts.ts';
import { fieldsOf } from '../present.ts';
import { after } from './after.ts';
import type { Effects } from './batch-state.ts';
import {
  type Asking,
  askAudience,
  audienceOf,
  contextOfNew,
  entryOf,
  type Place,
  type Writing,
} from './every-write.ts';
import { newRecord, type Of } from './operation.ts';

/** Rules between a record, its parent and its children. */

export function askParent(asking: Asking<Of<'create' | 'create_under'>>): void {
  if (asking.change.parentId === null) return;
  const record = newOf(asking);
  contextOfNew(record, asking.caller.id, asking);
  askAudience(record, asking, true);
}

function newOf({ change, collection, caller, now }: Asking<Of<'create' | 'create_under'>>): StoredRecord {
  return newRecord(change, collection, caller.id, now);
}

export function parentUnknown({ parent }: Collection): Refusal {
  const errors = parent === null ? [] : [parentError(parent)];
  return new Refusal('validation_failed', { members: { errors } });
}

/** R8: a record never changes its parent. */
export function checkParentField(collection: Collection, before: StoredRecord, after: StoredRecord): void {
  const { parent } = collection;
  if (parent === null || before.parentId === String(fieldsOf(after)[parent.field])) return;
  const error = {
    pointer: `/${parent.field}`,
    message: 'cannot be changed: a record stays under its parent',
  };
  throw new Refusal('validation_failed', { members: { errors: [error] } });
}

/** True if new records are accepted under the parent now. */
export function checkAccepts(parent: RecordContext['parent'], { collection, now }: Writing): void {
  if (!acceptsNow(collection, parent, now)) throw new Refusal('parent_closed');
}

/** What `stateUnder` counts. */
export function askPlaces({ change, collection, state }: Asking<Of<'create' | 'create_under'>>): void {
  const above = parentOf(collection, change);
  const { max = null, capacity = null } = collection.parent ?? {};
  if (above !== null && (max ?? capacity) !== null) state.parents.countUnder(above, collection.name);
}

/** The initial state of a new record under a parent that accepts it. */
export function stateUnder(parent: RecordInContext, initial: string | null, writing: Writing): string | null {
  const { collection, state } = writing;
  const { max = null, capacity = null } = collection.parent ?? {};
  checkAccepts(parent, writing);
  const { record } = parent;
  if (max !== null && state.parents.countUnder(record, collection.name) >= max)
    throw new Refusal('quota_exceeded', { members: { limit: max } });
  if (capacity === null || !takesPlace(capacity, initial)) return initial;
  if (!hasLine(capacity, record, writing) && hasRoom(capacity, record, writing)) return initial;
  if (capacity.overflow === null) throw new Refusal('no_capacity');
  return capacity.overflow;
}

/** What `checkCapacity` counts. */
export function askCapacity({ change, collection, state }: Asking<Of<'act'>>): void {
  const record = state.record(collection.name, change.id);
  const above = record && parentOf(collection, record);
  if (above !== null && (collection.parent?.capacity ?? null) !== null)
    state.parents.countUnder(above, collection.name);
}

/** Refuses an action that needs a place if none is free. */
export function checkCapacity(
  { state }: StoredRecord,
  to: string,
  parent: RecordContext['parent'],
  writing: Writing,
): void {
  const capacity = writing.collection.parent?.capacity ?? null;
  const isTaking = capacity !== null && takesPlace(capacity, to) && !takesPlace(capacity, state);
  if (!isTaking || !parent) return;
  // Only a record of the waiting line itself may get a place before the others.
  const isBehind = state !== capacity.overflow && hasLine(capacity, parent.record, writing);
  if (isBehind || !hasRoom(capacity, parent.record, writing)) throw new Refusal('no_capacity');
}

/** True if records wait: a free place is for the first of them. */
function hasLine({ overflow }: Capacity, parent: StoredRecord, { collection, state }: Writing): boolean {
  return overflow !== null && state.parents.countUnder(parent, collection.name, [overflow]) > 0;
}

function takesPlace({ states }: Capacity, state: string | null): boolean {
  return state !== null && states.includes(state);
}

function hasRoom(capacity: Capacity, parent: StoredRecord, { collection, state }: Writing): boolean {
  return state.parents.countUnder(parent, collection.name, capacity.states) < placesOf(capacity, parent);
}

function placesOf({ maxPlaces }: Capacity, parent: StoredRecord): number {
  return typeof maxPlaces === 'number' ? maxPlaces : Number(fieldsOf(parent)[maxPlaces] ?? 0);
}

/** What `promoted` reads, if the change can free a place. */
export function askPromoted(asking: Asking<Of<'act' | 'remove'>>): void {
  const { change, collection, state } = asking;
  const record = state.record(collection.name, change.id);
  const above = record && parentOf(collection, record);
  if (above !== null && mayFree(change, collection)) askFilled(above, asking);
}

function mayFree(change: Of<'act' | 'remove'>, { machine, parent }: Collection): boolean {
  const capacity = parent?.capacity ?? null;
  if (capacity === null || capacity.overflow === null) return false;
  if (change.kind === 'remove') return true;
  const ends = capacity.states.flatMap((state) => machine?.states.get(state)?.get(change.action)?.to ?? []);
  return ends.some((to) => !takesPlace(capacity, to));
}

/** What `filled` reads. */
export function askFilled(parent: RecordName, place: Place): void {
  const { collection, state } = place;
  state.parents.countUnder(parent, collection.name);
  for (const record of state.parents.waiting(collection, parent.id)) askAudience(record, place);
}

/** Gives the place that this record has left to the record that has waited longest. */
export function promoted(
  before: StoredRecord,
  after: StoredRecord | null,
  parent: RecordContext['parent'],
  revision: string,
  writing: Writing,
): readonly Effects[] {
  const capacity = writing.collection.parent?.capacity ?? null;
  if (capacity === null || capacity.overflow === null || !parent) return [];
  const isFreed = takesPlace(capacity, before.state) && !takesPlace(capacity, after?.state ?? null);
  if (!isFreed) return [];
  const left = after === null ? before.id : null;
  return filled(parent.record, 1, { revision, freed: 1, left }, writing);
}

interface Filling {
  readonly revision: string;
  /** Places that this write frees, but that are still counted. */
  readonly freed: number;
  /** A record that this write removes. */
  readonly left: string | null;
}

/** Moves up to `max` records from the waiting line to free places. */
export function filled(
  parent: StoredRecord,
  max: number,
  { revision, freed, left }: Filling,
  place: Place,
): readonly Effects[] {
  const { collection, state, now } = place;
  const capacity = collection.parent?.capacity ?? null;
  if (capacity === null || capacity.overflow === null) return [];
  const taken = state.parents.countUnder(parent, collection.name, capacity.states) - freed;
  const room = Math.min(placesOf(capacity, parent) - taken, max);
  if (room <= 0) return [];
  const waiting = state.parents.waiting(collection, parent.id).filter(({ id }) => id !== left);
  return waiting.slice(0, room).map((record, index): Effects => {
    const next = {
      ...record,
      state: collection.machine?.initial ?? null,
      revision: `${revision}.${index}`,
      updatedAt: now,
    };
    const topics = audienceOf(next, { before: record.state, after: next.state }, place);
    const moved = { action: 'moved_up', from: record.state ?? '' };
    const entry = entryOf(next, { ...moved, role: null }, place);
    return { put: next, ...entry, event: eventOfChange(collection, moved, next, now, topics) };
  });
}

export function askUniqueOfNew(asking: Asking<Of<'create' | 'create_under'>>): void {
  askUniqueFor(newOf(asking), asking);
}

/** Also in states that the rule does not apply in: an earlier part of a batch may change the state. */
export function askUnique(asking: Asking<Of<'replace' | 'patch' | 'act'>>): void {
  const { change, collection, state, now } = asking;
  if (collection.unique.length === 0) return;
  const before = state.record(collection.name, change.id);
  if (before !== null) askUniqueFor(after(change, before, collection, now).record, asking);
}

export function askUniqueFor(record: StoredRecord, { collection, state }: Place): void {
  for (const index of collection.unique.keys()) state.parents.holderOf(collection, index, record);
}

/** R14. The refusal names the rule, and never the record. */
export function checkUnique(
  before: StoredRecord | null,
  after: StoredRecord,
  { collection, state }: Writing,
): void {
  for (const [index, { fields }] of collection.unique.entries()) {
    const key = uniqueKey(collection, index, after);
    if (key === null || (before !== null && key === uniqueKey(collection, index, before))) continue;
    const holder = state.parents.holderOf(collection, index, after);
    if (holder !== null) throw new Refusal('not_unique', { members: { fields } });
  }
}

export function askChildren({ change, collection, state }: Asking<Of<'remove'>>): void {
  for (const { name, parent } of collection.children)
    if (parent.onDelete === 'restrict') state.parents.hasChildren(name, change);
}

/** The effect on the records under a deleted one. */
export function childrenAfter(record: StoredRecord, { collection, state, now }: Writing): readonly Effects[] {
  return collection.children.flatMap(({ name, parent }): readonly Effects[] => {
    if (parent.onDelete === 'restrict' && state.parents.hasChildren(name, record))
      throw new Refusal('has_children', { members: { collection: name } });
    if (parent.onDelete !== 'cascade') return [];
    return [{ childWork: { child: name, parentId: record.id, what: 'delete', newOwner: null, at: now } }];
  });
}

/** Gives records that belong to the owner of their parent the new owner. */
export function handedOver({ id, owner }: StoredRecord, { collection, now }: Writing): readonly Effects[] {
  return collection.children.flatMap(({ name, parent }): readonly Effects[] =>
    parent.ownedBy === 'parent'
      ? [{ childWork: { child: name, parentId: id, what: 'own', newOwner: owner, at: now } }]
      : [],
  );
}
