import { isMainThread } from 'node:worker_threads';
import { type ErrorCode, Refusal, type RefusalOptions } from '../../../src/base/errors.ts';
import { createKeyedDigest } from '../../../src/base/keyed-digest.ts';
import { createBatchRules as createServiceRules } from '../../../src/records/rules/batch-rules.ts';
import { formerName } from '../../../src/records/rules/budgets.ts';
import type { Operation } from '../../../src/records/rules/operation.ts';
import type {
  BatchChanges,
  BatchKeys,
  BatchRules,
  Loaded,
  Outcome,
  OwnerInCollection,
  StoredRecord,
  Usage,
} from '../../../src/storage/port.ts';

/**
 * Rules of batches for tests of the storage: an operation says by itself what it names and what it changes, or is a small
 * decision over what was loaded. Plain data, since on SQLite they are decided on the thread of the storage. The changes
 * of a batch are those of all its operations, each decided over what was loaded.
 */
export type TestOperation =
  /** Applies the loaded state unchanged. */
  | { readonly kind: 'plain'; readonly keys: BatchKeys; readonly changes: BatchChanges }
  | { readonly kind: 'add_one'; readonly record: StoredRecord }
  | { readonly kind: 'insert_unless_taken'; readonly record: StoredRecord }
  | { readonly kind: 'change_if_still'; readonly revision: string; readonly to: StoredRecord }
  | ({ readonly kind: 'set_usage'; readonly usage: Usage } & OwnerInCollection)
  /** Uses the rules of the service. */
  | { readonly kind: 'register'; readonly operation: Operation }
  | { readonly kind: 'refuse'; readonly code: ErrorCode; readonly options: RefusalOptions }
  /** Rules with a mistake in them. */
  | { readonly kind: 'throw'; readonly message: string }
  | { readonly kind: 'end_thread' };

interface Decision {
  readonly changes: BatchChanges;
  readonly done?: unknown;
  readonly error?: unknown;
}

const noUsage: Usage = { records: 0, writes: 0, writesSince: 0, newcomerWrites: 0, newcomerSince: 0 };

const digestKey = new Uint8Array(32);
const ofService = await createServiceRules({
  collections: [],
  newcomersPerHour: 0,
  digestKey,
});

/** The name under which budgets of an erased caller are kept. */
export function formerOf(id: string): Uint8Array {
  return formerName(createKeyedDigest(digestKey), id);
}

export function createBatchRules(): BatchRules {
  return {
    keysOf: (operations) => joined((operations as readonly TestOperation[]).map(namedBy)),
    furtherKeys(operations, loaded, round) {
      const ofRegistrations = (operations as readonly TestOperation[]).flatMap((one) =>
        one.kind === 'register' ? (ofService.furtherKeys([one.operation], loaded, round) ?? []) : [],
      );
      return ofRegistrations.length === 0 ? null : joined(ofRegistrations);
    },
    decide(operations, loaded) {
      const decisions = (operations as readonly TestOperation[]).map((one) => decide(one, loaded));
      return {
        changes: joined(decisions.map(({ changes }) => changes)),
        outcomes: decisions.map(({ changes: _, ...outcome }) => outcome as Outcome),
      };
    },
  };
}

function joined<Lists extends object>(all: readonly Lists[]): Lists {
  const lists: Record<string, unknown[]> = {};
  for (const one of all)
    for (const [name, list] of Object.entries(one)) lists[name] = [...(lists[name] ?? []), ...list];
  return lists as Lists;
}

function namedBy(operation: TestOperation): BatchKeys {
  switch (operation.kind) {
    case 'plain':
      return operation.keys;
    case 'add_one': {
      const { owner, collection } = operation.record;
      return { consumers: [{ id: owner }], usage: [{ owner, collection }] };
    }
    case 'insert_unless_taken':
      return { records: [operation.record] };
    case 'change_if_still':
      return { records: [operation.to] };
    case 'set_usage':
      return { usage: [operation] };
    case 'register':
      return ofService.keysOf([operation.operation]);
    case 'refuse':
    case 'throw':
    case 'end_thread':
      return {};
  }
}

function decide(operation: TestOperation, loaded: Loaded): Decision {
  switch (operation.kind) {
    case 'plain':
      return { changes: operation.changes, done: loaded };
    case 'add_one':
      return addOne(operation.record, loaded);
    case 'insert_unless_taken':
      return loaded.records.length > 0
        ? { changes: {}, done: false }
        : { changes: { newRecords: [operation.record] }, done: true };
    case 'change_if_still':
      return loaded.records[0]?.revision === operation.revision
        ? { changes: { changedRecords: [operation.to] }, done: true }
        : { changes: {}, done: false };
    case 'set_usage':
      return { changes: usageChange(operation, operation.usage, loaded), done: null };
    case 'register': {
      const decision = ofService.decide([operation.operation], loaded);
      if ('missing' in decision) throw new Error('the rules have read what they did not ask for');
      const { changes, outcomes } = decision;
      return { changes, done: (outcomes[0] as { done: { consumer: unknown } }).done.consumer };
    }
    case 'refuse':
      return { changes: {}, error: new Refusal(operation.code, operation.options) };
    case 'throw':
      throw new TypeError(operation.message);
    case 'end_thread':
      if (isMainThread) throw new Error('There is no thread of its own here.');
      return process.exit(1);
  }
}

function addOne(record: StoredRecord, loaded: Loaded): Decision {
  if (!loaded.consumers.some(({ id }) => id === record.owner)) return { changes: {}, done: false };
  const before = usageOf(record, loaded) ?? noUsage;
  const after = { ...before, records: before.records + 1, writes: before.writes + 1 };
  return { changes: { newRecords: [record], ...usageChange(record, after, loaded) }, done: true };
}

function usageOf({ owner, collection }: OwnerInCollection, { usage }: Loaded): Usage | undefined {
  return usage.find((one) => one.owner === owner && one.collection === collection);
}

function usageChange({ owner, collection }: OwnerInCollection, after: Usage, loaded: Loaded) {
  const before = usageOf({ owner, collection }, loaded);
  const changed = { ...after, owner, collection };
  if (before === undefined) return { newUsage: [changed] };
  return { changedUsage: [{ ...changed, records: after.records - before.records }] };
}
