import type { Collection } from '../../collections/collection.ts';
import { isTallied, type Lineage } from '../../collections/lineage.ts';
import { normaliseFields } from '../../collections/normalise.ts';
import { uniqueQueries } from '../../collections/unique.ts';
import type { BatchKeys, Loaded, RecordName, StoredRecord } from '../../storage/port.ts';
import { memberRoles, membersWanted } from '../caller-access.ts';
import { type Fields, mergePatch } from '../fields.ts';
import { parentIdOf } from '../people-names.ts';
import { fieldsOf } from '../present.ts';
import type { WriteRules } from './decide.ts';
import {
  isOfRecord,
  mostInBatch,
  mostParts,
  type Operation,
  partsOf,
  type RecordChange,
} from './operation.ts';

type Collected = {
  -readonly [Name in 'members' | 'memberships' | 'tallies' | 'unique' | 'waiting' | 'children']: NonNullable<
    BatchKeys[Name]
  >[number][];
};

/** Additional rows for writes under parents, known only once the records are loaded. */
export function familyKeys(
  operations: readonly Operation[],
  loaded: Loaded,
  rules: WriteRules,
  round: number,
): Partial<BatchKeys> | null {
  const keys: Collected = {
    members: [],
    memberships: [],
    tallies: [],
    unique: [],
    waiting: [],
    children: [],
  };
  const stored = new Map(loaded.records.map((one) => [nameOf(one), one]));
  for (const operation of operations) {
    const { change: whole } = operation;
    if (whole.kind === 'fill' && round === 1) addFilling(keys, whole.child, whole.parent, rules);
    // The records after the earlier parts of a batch; null: removed. Other operations may be refused, so they change nothing here.
    const changed = new Map<string, StoredRecord | null>();
    const find = (name: RecordName) => {
      const own = changed.get(nameOf(name));
      return own === undefined ? (stored.get(nameOf(name)) ?? null) : own;
    };
    for (const { caller, change } of partsOf(operation)) {
      if (!isOfRecord(change)) continue;
      const lineage = rules.lineages.get(change.collection);
      const before = find(change);
      const after = lineage && recordAfter(change, caller.id, lineage[0], before);
      if (lineage === undefined || after === null || after === undefined) continue;
      // The stored record names the parent: a change of the parent is refused.
      const family: Family = {
        lineage,
        record: before ?? after,
        after,
        caller: caller.id,
        change,
        find,
        loaded,
      };
      if (round === 1) addFamily(keys, family);
      else if (round === 2) addChosen(keys, family);
      changed.set(nameOf(change), change.kind === 'remove' ? null : after);
    }
  }
  if (round === 2) addWaiting(keys, loaded, rules);
  const found = Object.fromEntries(Object.entries(keys).map(([of, all]) => [of, distinct<object>(all)]));
  return Object.values(found).every(({ length }) => length === 0) ? null : found;
}

/** Without those that are there already: the parts of a batch often need the same. */
export function distinct<Key extends object>(keys: readonly Key[]): Key[] {
  if (keys.length < 2) return [...keys];
  return [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()];
}

interface Family {
  readonly lineage: Lineage;
  readonly record: StoredRecord;
  readonly after: StoredRecord;
  readonly caller: string;
  readonly change: RecordChange;
  readonly find: (name: RecordName) => StoredRecord | null;
  readonly loaded: Loaded;
}

/** The record as the change would make it, as far as known. */
function recordAfter(
  change: RecordChange,
  caller: string,
  collection: Collection,
  before: StoredRecord | null,
): StoredRecord | null {
  const { name, machine } = collection;
  if (change.kind === 'create' || change.kind === 'create_under') {
    const { id, body, revision } = change;
    const times = { createdAt: 0, updatedAt: 0 };
    return { collection: name, id, body, revision, owner: caller, state: machine?.initial ?? null, ...times };
  }
  if (before === null) return null;
  if (change.kind === 'replace') return { ...before, body: change.body };
  if (change.kind === 'patch') {
    const fields = mergePatch(fieldsOf(before), change.patch) as Fields;
    return { ...before, body: JSON.stringify(normaliseFields(collection, fields)) };
  }
  if (change.kind !== 'act') return before;
  const transition = machine?.states.get(before.state ?? '')?.get(change.action);
  const kept = Object.entries(fieldsOf(before)).filter(([field]) => !transition?.clears.includes(field));
  const fields: Fields = { ...Object.fromEntries(kept), ...change.input };
  const state = transition?.to ?? before.state;
  return { ...before, state, body: JSON.stringify(normaliseFields(collection, fields)) };
}

function addFamily(keys: Collected, family: Family): void {
  const { lineage, record, after, caller, change, find, loaded } = family;
  const [collection] = lineage;
  const { parent } = collection;
  for (const state of statesAfter(family))
    keys.unique.push(...uniqueQueries(collection, { ...after, state }));
  const isRemoved = change.kind === 'remove';
  for (const { name, parent: rule } of collection.children)
    if (isRemoved && rule.onDelete === 'restrict')
      keys.children.push({ ...recordName(record), child: name, field: rule.field, limit: mostLoaded });
  if (parent === null) return;
  const above = { collection: parent.collection, id: parentIdOf(collection, record) };
  if (isTallied(collection)) keys.tallies.push({ ...above, child: collection.name });
  const overflow = parent.capacity?.overflow ?? null;
  if (overflow !== null && (isRemoved || change.kind === 'act'))
    keys.waiting.push({
      ...above,
      child: collection.name,
      field: parent.field,
      state: overflow,
      limit: mostLoaded,
    });
  const people = new Set([
    caller,
    ...loaded.members.filter((one) => isOf(one, record)).map(({ member }) => member),
  ]);
  const alias = change.kind === 'act' ? (change.chosen ?? null) : null;
  addAbove(keys, { lineage, record, find }, [...people], alias);
}

/** A record that waits may be moved up, or be put in the line, by what comes before this change. */
function statesAfter({ lineage: [{ machine, parent }], change, after }: Family): ReadonlySet<string | null> {
  const overflow = parent?.capacity?.overflow ?? null;
  if (overflow === null || machine === null) return new Set([after.state]);
  const { states } = machine;
  const ofAction = change.kind === 'act' ? [...states.values()].map((all) => all.get(change.action)?.to) : [];
  return new Set([after.state, machine.initial, overflow, ...ofAction.filter((to) => to !== undefined)]);
}

/** The transaction has fewer writes: one of these is left after it, or there are no others. */
const mostLoaded = mostInBatch + mostParts;

/** The roles of these people in the ancestors. */
function addAbove(
  keys: Collected,
  { lineage, record, find }: Pick<Family, 'lineage' | 'record' | 'find'>,
  people: readonly string[],
  alias: Uint8Array | null,
): void {
  let below: StoredRecord | null = record;
  for (const [index, collection] of lineage.slice(1).entries()) {
    const child = lineage[index] as Collection;
    below = below && find({ collection: collection.name, id: parentIdOf(child, below) });
    if (below === null) return;
    for (const person of people) {
      const wanted = membersWanted(collection, person);
      if (wanted !== undefined) keys.members.push({ ...recordName(below), ...wanted, alias });
    }
  }
}

/** The chosen person is one of the loaded people: the number of roles of each. */
function addChosen(keys: Collected, { lineage, change, loaded }: Family): void {
  if (change.kind !== 'act' || change.chosen === undefined) return;
  const [collection] = lineage;
  const people = new Set([
    ...loaded.members.map(({ member }) => member),
    ...loaded.records.map(({ owner }) => owner),
  ]);
  for (const owner of people) keys.memberships.push({ owner, collection: collection.name });
}

/** The people with a role in waiting records, who get an event when these move up. */
function addWaiting(keys: Collected, { waiting = [] }: Loaded, { collections }: WriteRules): void {
  for (const { child, ids } of waiting) {
    const collection = collections.get(child);
    const rolesOfAll = collection === undefined ? [] : memberRoles(collection, 'granted');
    if (rolesOfAll.length === 0) continue;
    for (const id of ids)
      keys.members.push({ collection: child, id, member: '', roles: rolesOfAll, rolesOfAll, alias: null });
  }
}

function addFilling(keys: Collected, child: string, parent: RecordName, { collections }: WriteRules): void {
  const rule = collections.get(child)?.parent;
  const overflow = rule?.capacity?.overflow ?? null;
  if (!rule || overflow === null) return;
  keys.tallies.push({ ...parent, child });
  keys.waiting.push({ ...parent, child, field: rule.field, state: overflow, limit: mostLoaded });
}

function recordName({ collection, id }: StoredRecord): RecordName {
  return { collection, id };
}

function nameOf({ collection, id }: RecordName): string {
  return `${collection} ${id}`;
}

function isOf(
  one: { readonly collection: string; readonly recordId: string },
  record: StoredRecord,
): boolean {
  return one.collection === record.collection && one.recordId === record.id;
}
