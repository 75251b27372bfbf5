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

/** Imported by the thread that decides (storage/sqlite/worker.ts). */
export const batchRulesModule = import.meta.url;

/** Plain data, because the rules may be made on another thread. */
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

/** Only patches are checked here, so the check is compiled at the first patch. */
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
