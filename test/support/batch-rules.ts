import { isMainThread } from 'node:worker_threads';
import { type ErrorCode, Refusal, type RefusalOptions } from '../../src/base/errors.ts';
import { createBatchRules as createServiceRules } from '../../src/records/rules/batch-rules.ts';
import type { Operation } from '../../src/records/rules/operation.ts';
import type {
  BatchChanges,
  BatchKeys,
  BatchRules,
  Loaded,
  Outcome,
  OwnerInCollection,
  StoredRecord,
  Usage,
} from '../../src/storage/port.ts';

/**
 * Rules of batches for tests of the storage: an operation says by itself what it names and what it changes, or is a small
 * decision over what was loaded. Plain data, since on SQLite they are decided on the thread of the storage. The changes
 * of a batch are those of all its operations, each decided over what was loaded.
 */
export type TestOperation =
  /** Applies the loaded state unchanged. */
  | { readonly kind: 'plain'; readonly keys: Partial<TestKeys>; readonly changes: Partial<BatchChanges> }
  /** Inserts the record and counts it, if its owner is registered. */
  | { readonly kind: 'add_one'; readonly record: StoredRecord }
  | { readonly kind: 'insert_unless_taken'; readonly record: StoredRecord }
  | { readonly kind: 'change_if_still'; readonly revision: string; readonly to: StoredRecord }
  | ({ readonly kind: 'set_usage'; readonly usage: Usage } & OwnerInCollection)
  /** Uses the rules of the service. */
  | { readonly kind: 'register'; readonly operation: Operation; readonly former: Uint8Array }
  /** A refusal, as the rules of the service make it. */
  | { readonly kind: 'refuse'; readonly code: ErrorCode; readonly options: RefusalOptions }
  /** Rules with a mistake in them. */
  | { readonly kind: 'throw'; readonly message: string }
  /** Ends the thread that decides. */
  | { readonly kind: 'end_thread' };

interface Decision {
  readonly changes: Partial<BatchChanges>;
  readonly done?: unknown;
  readonly error?: unknown;
}

export const noKeys: BatchKeys = {
  consumers: [],
  usage: [],
  records: [],
  idempotencyKeys: [],
  members: [],
  memberCounts: [],
  memberships: [],
  invitations: [],
  memberRoles: {},
  proofs: [],
  newcomers: null,
};

const noUsage: Usage = { records: 0, writes: 0, writesSince: 0, newcomerWrites: 0, newcomerSince: 0 };

const ofService = await createServiceRules({
  collections: [],
  newcomersPerHour: 0,
  digestKey: new Uint8Array(32),
});

/** A caller without stored data. */
export function consumerKey(id: string): TestKeys['consumers'][number] {
  return { id, former: new TextEncoder().encode(`former ${id}`) };
}

/** Keys as plain data. */
export type TestKeys = Omit<BatchKeys, 'consumers'> & {
  readonly consumers: readonly { readonly id: string; readonly former: Uint8Array }[];
};

export function createBatchRules(): BatchRules {
  return {
    keysOf(operations) {
      const all = (operations as readonly TestOperation[]).map(namedBy);
      return {
        consumers: all.flatMap(({ consumers = [] }) =>
          consumers.map(({ id, former }) => ({ id, former: () => former })),
        ),
        usage: all.flatMap(({ usage = [] }) => usage),
        records: all.flatMap(({ records = [] }) => records),
        idempotencyKeys: all.flatMap(({ idempotencyKeys = [] }) => idempotencyKeys),
        members: all.flatMap(({ members = [] }) => members),
        memberCounts: all.flatMap(({ memberCounts = [] }) => memberCounts),
        memberships: all.flatMap(({ memberships = [] }) => memberships),
        invitations: all.flatMap(({ invitations = [] }) => invitations),
        memberRoles: Object.assign({}, ...all.map(({ memberRoles = {} }) => memberRoles)),
        proofs: all.flatMap(({ proofs = [] }) => proofs),
        newcomers: all.find(({ newcomers = null }) => newcomers !== null)?.newcomers ?? null,
      };
    },
    decide(operations, loaded) {
      const decisions = (operations as readonly TestOperation[]).map((one) => decide(one, loaded));
      return {
        changes: changesOfAll(decisions.map(({ changes }) => changes)),
        outcomes: decisions.map(({ changes: _, ...outcome }) => outcome as Outcome),
      };
    },
  };
}

function namedBy(operation: TestOperation): Partial<TestKeys> {
  switch (operation.kind) {
    case 'plain':
      return operation.keys;
    case 'add_one': {
      const { owner, collection } = operation.record;
      return { consumers: [consumerKey(owner)], usage: [{ owner, collection }] };
    }
    case 'insert_unless_taken':
      return { records: [operation.record] };
    case 'change_if_still':
      return { records: [operation.to] };
    case 'set_usage':
      return { usage: [operation] };
    case 'register':
      return { consumers: [{ id: operation.operation.caller.id, former: operation.former }] };
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
      const { changes, outcomes } = ofService.decide([operation.operation], loaded);
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
  return { changedUsage: [{ ...changed, moved: after.records - before.records }] };
}

function changesOfAll(all: readonly Partial<BatchChanges>[]): BatchChanges {
  const every = <Key extends keyof BatchChanges>(key: Key) =>
    all.flatMap((changes): readonly NonNullable<BatchChanges[Key]>[number][] => changes[key] ?? []);
  return {
    newConsumers: every('newConsumers'),
    takenUpBudgets: every('takenUpBudgets'),
    newRecords: every('newRecords'),
    changedRecords: every('changedRecords'),
    removedRecords: every('removedRecords'),
    newUsage: every('newUsage'),
    changedUsage: every('changedUsage'),
    movedUsage: every('movedUsage'),
    idempotencyKeys: every('idempotencyKeys'),
    newMembers: every('newMembers'),
    removedMembers: every('removedMembers'),
    invitations: every('invitations'),
    endedInvitations: every('endedInvitations'),
    childWork: every('childWork'),
    history: every('history'),
    proofs: every('proofs'),
    events: every('events'),
  };
}
