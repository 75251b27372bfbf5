import { createKeyedDigest } from '../../base/keyed-digest.ts';
import type { CheckFields, Collection } from '../../collections/collection.ts';
import type {
  BatchKeys,
  BatchRules,
  IdempotencyKeyName,
  OwnerInCollection,
  RecordName,
} from '../../storage/port.ts';
import { formerName } from './budgets.ts';
import { decideAll, type WriteRules } from './decide.ts';
import type { Change, Operation, RecordChange } from './operation.ts';

const hourMs = 3_600_000;

/** This file, for the thread that is to import it: as the clone has it, or compiled (.js) as the package has it. */
export const batchRulesModule = import.meta.url;

/** What the rules are made from: plain data, since they may be made on another thread (storage/sqlite/worker.ts). */
export interface BatchRulesData {
  readonly collections: readonly PlainCollection[];
  readonly newcomersPerHour: number;
  /** For `formerName`. */
  readonly digestKey: Uint8Array;
}

/** A collection as it was read, without what cannot cross threads. */
type PlainCollection = Omit<Collection, 'checkFields'>;

/** The rules of writes for `BatchStore`. */
export async function createBatchRules(data: BatchRulesData): Promise<BatchRules> {
  const { newcomersPerHour } = data;
  const digest = createKeyedDigest(data.digestKey);
  const collections = await withChecks(data.collections);
  const rules: WriteRules = {
    collections: new Map(collections.map((collection) => [collection.name, collection])),
    newcomersPerHour,
    formerOf: (id) => formerName(digest, id),
    usedId: (collection, id) => digest.of('id', collection, id),
  };
  return {
    keysOf: (operations) => keysOf(operations as readonly Operation[], rules),
    decide: (operations, loaded) => decideAll(operations as readonly Operation[], loaded, rules),
  };
}

/** Only a patch needs the check here, all other fields were checked before they came: so it is compiled when the first patch comes. */
async function withChecks(collections: readonly PlainCollection[]): Promise<readonly Collection[]> {
  if (collections.length === 0) return [];
  const { compileCheck } = await import('../../collections/validator.ts');
  return collections.map((collection) => {
    let check: CheckFields | null = null;
    const checkFields: CheckFields = (fields) => {
      check ??= compileCheck(collection.schema);
      return check(fields);
    };
    return { ...collection, checkFields };
  });
}

/** Everything that a batch names, so that it can be loaded at once. */
function keysOf(operations: readonly Operation[], rules: WriteRules): BatchKeys {
  const { newcomersPerHour, formerOf, usedId } = rules;
  const consumers = new Set(operations.map(({ caller }) => caller.id));
  const usage = new Map<string, OwnerInCollection>();
  const records = new Map<string, RecordName>();
  const idempotencyKeys: IdempotencyKeyName[] = [];
  const proofs: Uint8Array[] = [];
  for (const { caller, proof, change } of operations) {
    if (proof !== null) proofs.push(proof.digest);
    if (!isOfRecord(change)) continue;
    const { collection, id } = change;
    usage.set(`${caller.id} ${collection}`, { owner: caller.id, collection });
    if (change.kind === 'create_under') proofs.push(usedId(collection, id));
    if (change.kind !== 'create') records.set(`${collection} ${id}`, { collection, id });
    else if (change.key !== null)
      idempotencyKeys.push({ owner: caller.id, collection, keyDigest: change.key.keyDigest });
  }
  const latest = Math.max(...operations.map(({ now }) => now));
  const hasPeople = operations.some(({ caller, change }) => !caller.isMachine && isOfRecord(change));
  return {
    consumers: [...consumers].map((id) => ({ id, former: () => formerOf(id) })),
    usage: [...usage.values()],
    records: [...records.values()],
    idempotencyKeys,
    proofs,
    newcomers:
      newcomersPerHour > 0 && hasPeople ? { since: latest - hourMs, atMost: newcomersPerHour + 1 } : null,
  };
}

function isOfRecord(change: Change): change is RecordChange {
  return 'collection' in change;
}
