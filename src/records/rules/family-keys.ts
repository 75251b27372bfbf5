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
import { mostInBatch, type Operation, type RecordChange } from './operation.ts';

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
  const find = ({ collection, id }: RecordName) =>
    loaded.records.find((one) => one.collection === collection && one.id === id) ?? null;
  for (const { caller, change } of operations) {
    if (change.kind === 'fill' && round === 1) addFilling(keys, change.child, change.parent, rules);
    if (!('collection' in change)) continue;
    const lineage = rules.lineages.get(change.collection);
    const after = lineage && recordAfter(change, caller.id, lineage[0], find(change));
    if (lineage === undefined || after === null || after === undefined) continue;
    // The stored record names the parent: a change of the parent is refused.
    const record = find(change) ?? after;
    const family: Family = { lineage, record, after, caller: caller.id, change, find, loaded };
    if (round === 1) addFamily(keys, family);
    else if (round === 2) addChosen(keys, family);
  }
  if (round === 2) addWaiting(keys, loaded, rules);
  return Object.values(keys).every(({ length }) => length === 0) ? null : keys;
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
  const state = machine?.states.get(before.state ?? '')?.get(change.action)?.to ?? before.state;
  const fields: Fields = { ...fieldsOf(before), ...change.input };
  return { ...before, state, body: JSON.stringify(fields) };
}

function addFamily(keys: Collected, family: Family): void {
  const { lineage, record, after, caller, change, find, loaded } = family;
  const [collection] = lineage;
  const { parent } = collection;
  keys.unique.push(...uniqueQueries(collection, after));
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

/** A batch has at most `mostInBatch` writes: one of these is left after it, or there are no others. */
const mostLoaded = mostInBatch;

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

function isOf(
  one: { readonly collection: string; readonly recordId: string },
  record: StoredRecord,
): boolean {
  return one.collection === record.collection && one.recordId === record.id;
}
