import { createKeyedDigest } from '../../base/keyed-digest.ts';
import type { CheckFields, Collection } from '../../collections/collection.ts';
import { lineageOf } from '../../collections/lineage.ts';
import type {
  BatchKeys,
  BatchRules,
  IdempotencyKeyName,
  OwnerInCollection,
  ParentField,
  RecordName,
} from '../../storage/port.ts';
import { memberRoles, membersWanted } from '../caller-access.ts';
import { PeopleNames, parentIdOf } from '../people-names.ts';
import { formerName } from './budgets.ts';
import { decideAll, type WriteRules } from './decide.ts';
import { distinct, familyKeys } from './family-keys.ts';
import {
  batchName,
  type Change,
  isOfRecord,
  type Operation,
  partsOf,
  type RecordChange,
} from './operation.ts';

const hourMs = 3_600_000;

/** Imported by the thread that decides (storage/sqlite/worker.ts). */
export const batchRulesModule = import.meta.url;

/** Plain data, because the rules may be created on another thread. */
export interface BatchRulesData {
  readonly collections: readonly PlainCollection[];
  readonly newcomersPerHour: number;
  readonly digestKey: Uint8Array;
}

type PlainCollection = Omit<Collection, 'checkFields'>;

export async function createBatchRules(data: BatchRulesData): Promise<BatchRules> {
  const { newcomersPerHour } = data;
  const digest = createKeyedDigest(data.digestKey);
  const collections = await withChecks(data.collections);
  const byName = new Map(collections.map((collection) => [collection.name, collection]));
  const rules: WriteRules = {
    collections: byName,
    lineages: new Map(collections.map((each) => [each.name, lineageOf(each, (name) => byName.get(name))])),
    memberRoles: Object.fromEntries(collections.map((each) => [each.name, memberRoles(each)])),
    newcomersPerHour,
    formerOf: (id) => formerName(digest, id),
    usedId: (collection, id) => digest.of('id', collection, id),
    names: new PeopleNames(digest),
  };
  const hasFamilies = collections.some(({ parent, unique }) => parent !== null || unique.length > 0);
  return {
    keysOf: (operations) => keysOf(operations as readonly Operation[], rules),
    furtherKeys: (operations, loaded, round) =>
      hasFamilies ? familyKeys(operations as readonly Operation[], loaded, rules, round) : null,
    decide: (operations, loaded) => decideAll(operations as readonly Operation[], loaded, rules),
  };
}

/** Only patches are checked here, so the check is compiled at the first patch. */
async function withChecks(collections: readonly PlainCollection[]): Promise<readonly Collection[]> {
  if (collections.length === 0) return [];
  const { compileCheck } = await import('../../collections/validator.ts');
  return collections.map((collection) => {
    let check: CheckFields | null = null;
    const checkFields: CheckFields = (fields) => {
      check ??= compileCheck(collection.schema, collection.parent);
      return check(fields);
    };
    return { ...collection, checkFields };
  });
}

function keysOf(operations: readonly Operation[], rules: WriteRules): BatchKeys {
  const { newcomersPerHour, formerOf, usedId } = rules;
  const consumers = new Set(operations.map(({ caller }) => caller.id));
  const usage = new Map<string, OwnerInCollection>();
  const records = new Map<string, RecordName>();
  const idempotencyKeys: IdempotencyKeyName[] = [];
  const proofs: Uint8Array[] = [];
  const people: PeopleKeys = { members: [], memberCounts: [], memberships: [], invitations: [] };
  for (const { caller, proof, change } of operations) {
    if (proof !== null) proofs.push(proof.digest);
    if (change.kind === 'batch' && change.key !== null)
      idempotencyKeys.push({ owner: caller.id, collection: batchName, keyDigest: change.key.keyDigest });
  }
  const writes = operations.flatMap(partsOf);
  for (const { caller, change, now } of writes) {
    if (change.kind === 'accept') {
      people.invitations.push({ digest: change.digest, member: caller.id, openAt: now });
      for (const collection of Object.keys(change.admitted))
        usage.set(`${caller.id} ${collection}`, { owner: caller.id, collection });
    }
    if (change.kind === 'fill') records.set(`${change.parent.collection} ${change.parent.id}`, change.parent);
    if (!isOfRecord(change)) continue;
    const { collection, id } = change;
    addPeople(people, change, { caller: caller.id, now }, rules);
    usage.set(`${caller.id} ${collection}`, { owner: caller.id, collection });
    if (change.kind === 'create_under') proofs.push(usedId(collection, id));
    const above = parentOf(change, rules);
    if (above !== null) records.set(`${above.collection} ${above.id}`, above);
    if (change.kind !== 'create') records.set(`${collection} ${id}`, { collection, id });
    else if (change.key !== null)
      idempotencyKeys.push({ owner: caller.id, collection, keyDigest: change.key.keyDigest });
  }
  const parents = parentsOf(writes, rules);
  const latest = Math.max(...operations.map(({ now }) => now));
  const isWrite = (change: Change) => change.kind === 'accept' || isOfRecord(change);
  const hasPeople = writes.some(({ caller, change }) => !caller.isMachine && isWrite(change));
  return {
    consumers: [...consumers].map((id) => ({ id, former: () => formerOf(id) })),
    usage: [...usage.values()],
    records: [...records.values()],
    idempotencyKeys,
    proofs,
    ...people,
    members: distinct(people.members),
    memberships: distinct(people.memberships),
    memberRoles: rules.memberRoles,
    ...(parents.length === 0 ? {} : { parents }),
    newcomers:
      newcomersPerHour > 0 && hasPeople ? { since: latest - hourMs, atMost: newcomersPerHour + 1 } : null,
  };
}

type PeopleKeys = {
  -readonly [Name in 'members' | 'memberCounts' | 'memberships' | 'invitations']: BatchKeys[Name][number][];
};

/** The members that a change of a record in a shared collection needs. */
function addPeople(
  keys: PeopleKeys,
  change: RecordChange,
  { caller, now }: { readonly caller: string; readonly now: number },
  rules: WriteRules,
): void {
  const { collection: name, id } = change;
  const collection = rules.collections.get(name);
  const wanted = collection && membersWanted(collection, caller);
  if (collection === undefined || wanted === undefined || change.kind === 'create') return;
  const alias = change.kind === 'change_role' || change.kind === 'remove_member' ? change.alias : null;
  keys.members.push({ collection: name, id, ...wanted, alias });
  if (change.kind === 'change_role') keys.memberCounts.push({ collection: name, id });
  if (change.kind === 'act') keys.memberships.push({ owner: caller, collection: name });
  if (change.kind === 'end_invitation' && change.digest !== null)
    keys.invitations.push({ digest: change.digest, member: caller, openAt: now });
}

/** The parent of a new record. */
function parentOf(change: RecordChange, { collections }: WriteRules): RecordName | null {
  const collection = collections.get(change.collection);
  if (!collection?.parent || !('body' in change)) return null;
  return { collection: collection.parent.collection, id: parentIdOf(collection, change) };
}

/** The parents of the written collections. */
function parentsOf(operations: readonly Operation[], { lineages }: WriteRules): readonly ParentField[] {
  const written = new Set(
    operations.flatMap(({ change }) => (isOfRecord(change) ? [change.collection] : [])),
  );
  const lines = [...written].flatMap((name) => {
    const lineage = lineages.get(name) ?? [];
    return lineage.flatMap(({ name: child, parent }, index) =>
      parent === null
        ? []
        : [{ child, field: parent.field, collection: parent.collection, level: lineage.length - 1 - index }],
    );
  });
  return [...new Map(lines.map((one) => [one.child, one])).values()];
}
