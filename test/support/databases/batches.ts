import { randomBytes, randomUUID } from 'node:crypto';
import type { UsedProof } from '../../../src/base/caller.ts';
import type {
  BatchChanges,
  BatchKeys,
  BatchStore,
  Consumer,
  ConsumerKind,
  Loaded,
  Outcome,
  Storage,
  StoredIdempotencyKey,
  StoredRecord,
  Usage,
} from '../../../src/storage/port.ts';
import type { TestOperation } from './batch-rules.ts';
import { newRecord } from './records.ts';

type Batching = Pick<Storage, 'openBatches'>;

/** Opened once for each storage: on SQLite the rules that were given last are in force for all. */
const opened = new WeakMap<Batching, Promise<BatchStore>>();

export function batchesOf(storage: Batching): Promise<BatchStore> {
  const known = opened.get(storage);
  if (known !== undefined) return known;
  const module = new URL('./batch-rules.ts', import.meta.url).href;
  const batches = storage.openBatches({ module, data: null });
  opened.set(storage, batches);
  return batches;
}

export async function runBatch(
  storage: Batching,
  operations: readonly TestOperation[],
): Promise<readonly Outcome[]> {
  return (await batchesOf(storage)).run(operations);
}

async function runOne<Done>(storage: Batching, operation: TestOperation): Promise<Done> {
  const [outcome] = await runBatch(storage, [operation]);
  return (outcome as { done: Done }).done;
}

export function load(storage: Batching, keys: BatchKeys): Promise<Loaded> {
  return runOne(storage, { kind: 'plain', keys, changes: {} });
}

export async function apply(storage: Batching, changes: BatchChanges): Promise<void> {
  await runOne(storage, { kind: 'plain', keys: {}, changes });
}

export function insertAll(storage: Batching, records: readonly StoredRecord[]): Promise<void> {
  return apply(storage, { newRecords: records });
}

export function insertUnlessTaken(storage: Batching, record: StoredRecord): Promise<boolean> {
  return runOne(storage, { kind: 'insert_unless_taken', record });
}

/** Inserts a record and counts it; false if its owner is not registered. */
export function addOne(storage: Batching, owner: string): Promise<boolean> {
  return runOne(storage, { kind: 'add_one', record: newRecord({ owner }) });
}

export function changeIfStill(storage: Batching, revision: string, to: StoredRecord): Promise<boolean> {
  return runOne(storage, { kind: 'change_if_still', revision, to });
}

export async function setUsage(storage: Batching, owner: string, collection: string, usage: Usage) {
  await runOne(storage, { kind: 'set_usage', owner, collection, usage });
}

/** Lowers the owner's count, as if another caller removed its record. */
export function release(storage: Batching, owner: string, collection = 'notes'): Promise<void> {
  return apply(storage, { movedUsage: [{ owner, collection, records: -1 }] });
}

export function register(storage: Batching, id: string, kind: ConsumerKind, now: number): Promise<Consumer> {
  const caller = { id, kind, isMachine: kind === 'client' };
  const operation = { caller, now, proof: null, change: { kind: 'register' } } as const;
  return runOne(storage, { kind: 'register', operation });
}

export function newIdempotencyKey(changes: Partial<StoredIdempotencyKey> = {}): StoredIdempotencyKey {
  return {
    owner: 'usr_somebody',
    collection: 'notes',
    keyDigest: new TextEncoder().encode(randomUUID()),
    requestDigest: new TextEncoder().encode(randomUUID()),
    recordIds: randomUUID(),
    expiresAt: 9e12,
    ...changes,
  };
}

export function newProof(changes: Partial<UsedProof> = {}): UsedProof {
  return { digest: new Uint8Array(randomBytes(32)), expiresAt: 9e12, ...changes };
}
