import { Refusal } from '../../base/errors.ts';
import { type Capacity, type Collection, parentError } from '../../collections/collection.ts';
import { uniqueKey } from '../../collections/unique.ts';
import { eventOfChange } from '../../events/catalogue.ts';
import type { RecordContext, RecordInContext, StoredRecord } from '../../storage/port.ts';
import { acceptsNow } from '../accepts.ts';
import { parentIdOf } from '../people-names.ts';
import { fieldsOf } from '../present.ts';
import type { Effects } from './batch-state.ts';
import { audienceOf, entryOf, type Writing } from './every-write.ts';

/** Rules between a record, its parent and its children. */

/** The ancestors of this record, the nearest first. */
export function recordsAbove({ parent }: RecordContext): readonly RecordInContext[] {
  return parent ? [parent, ...recordsAbove(parent)] : [];
}

/** The parent of a new record; undefined: the collection has no parent. */
export function parentFor(body: string, { collection, contextOf }: Writing): RecordContext['parent'] {
  if (collection.parent === null) return undefined;
  return contextOf({ collection: collection.name, id: '', body } as StoredRecord).parent ?? null;
}

export function parentUnknown({ parent }: Collection): Refusal {
  const errors = parent === null ? [] : [parentError(parent)];
  return new Refusal('validation_failed', { members: { errors } });
}

/** R8: a record never changes its parent. */
export function checkParentField(collection: Collection, before: StoredRecord, after: StoredRecord): void {
  const { parent } = collection;
  if (parent === null || parentIdOf(collection, before) === parentIdOf(collection, after)) return;
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

/** The initial state of a new record under a parent that accepts it. */
export function stateUnder(parent: RecordInContext, initial: string | null, writing: Writing): string | null {
  const { collection, family } = writing;
  const { max = null, capacity = null } = collection.parent ?? {};
  checkAccepts(parent, writing);
  const { record } = parent;
  if (max !== null && family.countUnder(record, collection.name) >= max)
    throw new Refusal('quota_exceeded', { members: { limit: max } });
  if (capacity === null || !takesPlace(capacity, initial)) return initial;
  if (!hasLine(capacity, record, writing) && hasRoom(capacity, record, writing)) return initial;
  if (capacity.overflow === null) throw new Refusal('no_capacity');
  return capacity.overflow;
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
function hasLine({ overflow }: Capacity, parent: StoredRecord, { collection, family }: Writing): boolean {
  return overflow !== null && family.countUnder(parent, collection.name, [overflow]) > 0;
}

function takesPlace({ states }: Capacity, state: string | null): boolean {
  return state !== null && states.includes(state);
}

function hasRoom(capacity: Capacity, parent: StoredRecord, { collection, family }: Writing): boolean {
  return family.countUnder(parent, collection.name, capacity.states) < placesOf(capacity, parent);
}

function placesOf({ most }: Capacity, parent: StoredRecord): number {
  return typeof most === 'number' ? most : Number(fieldsOf(parent)[most] ?? 0);
}

/** Gives the place that this record has left to the record that has waited longest. */
export function promoted(
  before: StoredRecord,
  after: StoredRecord | null,
  revision: string,
  writing: Writing,
): readonly Effects[] {
  const { collection, contextOf } = writing;
  const capacity = collection.parent?.capacity ?? null;
  if (capacity === null || capacity.overflow === null) return [];
  const isFreed = takesPlace(capacity, before.state) && !takesPlace(capacity, after?.state ?? null);
  const parent = contextOf(before).parent;
  if (!isFreed || !parent) return [];
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

/** Moves up to `most` records from the waiting line to free places. */
export function filled(
  parent: StoredRecord,
  most: number,
  { revision, freed, left }: Filling,
  writing: Pick<Writing, 'collection' | 'lineage' | 'contextOf' | 'family' | 'names' | 'now'>,
): readonly Effects[] {
  const { collection, family, now } = writing;
  const capacity = collection.parent?.capacity ?? null;
  if (capacity === null || capacity.overflow === null) return [];
  const taken = family.countUnder(parent, collection.name, capacity.states) - freed;
  const room = Math.min(placesOf(capacity, parent) - taken, most);
  if (room <= 0) return [];
  const waiting = family.waiting(collection.name, parent.id).filter(({ id }) => id !== left);
  return waiting.slice(0, room).map((record, index): Effects => {
    const next = {
      ...record,
      state: collection.machine?.initial ?? null,
      revision: `${revision}.${index}`,
      updatedAt: now,
    };
    const topics = audienceOf(next, { before: record.state, after: next.state }, writing);
    const moved = { action: 'moved_up', from: record.state ?? '' };
    const entry = entryOf(next, { ...moved, role: null }, writing);
    return { put: next, ...entry, event: eventOfChange(collection, moved, next, now, topics) };
  });
}

/** R14. The refusal names the rule, and never the record. */
export function checkUnique(
  before: StoredRecord | null,
  after: StoredRecord,
  { collection, family }: Writing,
): void {
  for (const [index, { fields }] of collection.unique.entries()) {
    const key = uniqueKey(collection, index, after);
    if (key === null || (before !== null && key === uniqueKey(collection, index, before))) continue;
    const holder = family.holderOf(collection.name, index, key);
    if (holder !== null && holder !== after.id) throw new Refusal('not_unique', { members: { fields } });
  }
}

/** The effect on the records under a deleted one. */
export function childrenAfter(
  { id }: StoredRecord,
  { collection, family, now }: Writing,
): readonly Effects[] {
  return collection.children.flatMap(({ name, parent }): readonly Effects[] => {
    if (parent.onDelete === 'restrict' && family.hasChildren(name, id))
      throw new Refusal('has_children', { members: { collection: name } });
    if (parent.onDelete !== 'cascade') return [];
    return [{ childWork: { child: name, parentId: id, what: 'delete', owner: null, at: now } }];
  });
}

/** Gives records that belong to the owner of their parent the new owner. */
export function handedOver({ id, owner }: StoredRecord, { collection, now }: Writing): readonly Effects[] {
  return collection.children.flatMap(({ name, parent }): readonly Effects[] =>
    parent.ownedBy === 'parent'
      ? [{ childWork: { child: name, parentId: id, what: 'own', owner, at: now } }]
      : [],
  );
}
