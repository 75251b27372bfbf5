import { Buffer } from 'node:buffer';
import type { UsedProof } from '../../base/caller.ts';
import type { Collection } from '../../collections/collection.ts';
import type {
  BatchChanges,
  ChildWork,
  Consumer,
  IdempotencyKeyName,
  Loaded,
  NewEvent,
  NewHistoryEntry,
  OwnerInCollection,
  RecordName,
  StoredIdempotencyKey,
  StoredRecord,
  Usage,
} from '../../storage/port.ts';
import { unused } from './budgets.ts';
import { FamilyState } from './family-state.ts';
import { type PeopleEffects, PeopleState } from './people-state.ts';

export interface Effects extends PeopleEffects {
  readonly newConsumer?: Consumer;
  readonly usage?: OwnerInCollection & { readonly after: Usage };
  /** The owner of a removed record, if it is not the caller. */
  readonly released?: OwnerInCollection;
  readonly put?: StoredRecord;
  readonly idempotencyKey?: StoredIdempotencyKey;
  readonly usedId?: Uint8Array;
  readonly proof?: UsedProof;
  readonly childWork?: ChildWork;
  readonly history?: NewHistoryEntry | undefined;
  readonly event?: NewEvent | null;
}

interface UsageChange extends OwnerInCollection {
  readonly moved: number;
  /** Null if nothing else changes. */
  readonly after: Usage | null;
}

/** The loaded rows of a batch, as changed by the operations decided so far. */
export class BatchState {
  readonly #source: readonly [Loaded, ReadonlyMap<string, Collection>];
  readonly #applied: Effects[] = [];
  readonly #consumers: Map<string, Consumer>;
  readonly #usage: Map<string, Usage>;
  readonly #records: Map<string, StoredRecord>;
  readonly #keys: Map<string, StoredIdempotencyKey>;
  readonly #spent: Loaded['spentBudgets'];
  readonly #loadedUsage: ReadonlySet<string>;
  readonly #loaded: ReadonlyMap<string, StoredRecord>;
  readonly #newConsumers = new Map<string, Consumer>();
  readonly #takenUp: Uint8Array[] = [];
  readonly #touched = new Map<string, RecordName>();
  readonly #usageChanges = new Map<string, UsageChange>();
  readonly #newKeys = new Map<string, StoredIdempotencyKey>();
  readonly #usedProofs: ReadonlySet<string>;
  readonly #newProofs = new Map<string, UsedProof>();
  readonly #events: NewEvent[] = [];
  readonly #history: NewHistoryEntry[] = [];
  readonly #people: PeopleState;
  readonly #family: FamilyState;
  #newcomers: number;

  constructor(loaded: Loaded, collections: ReadonlyMap<string, Collection>) {
    this.#source = [loaded, collections];
    this.#consumers = new Map(loaded.consumers.map((consumer) => [consumer.id, consumer]));
    this.#usage = new Map(loaded.usage.map((one) => [name(one.owner, one.collection), one]));
    this.#loadedUsage = new Set(this.#usage.keys());
    this.#loaded = new Map(loaded.records.map((record) => [name(record.collection, record.id), record]));
    this.#records = new Map(this.#loaded);
    this.#keys = new Map(loaded.idempotencyKeys.map((key) => [nameOfKey(key), key]));
    this.#usedProofs = new Set(loaded.proofs.map(nameOfDigest));
    this.#spent = loaded.spentBudgets;
    this.#newcomers = loaded.newcomers;
    this.#people = new PeopleState(loaded);
    this.#family = new FamilyState(loaded, collections, this.#records);
  }

  get family(): Pick<FamilyState, 'countUnder' | 'holderOf' | 'waiting' | 'hasChildren'> {
    return this.#family;
  }

  get people(): Pick<PeopleState, 'of' | 'countIn' | 'countOf' | 'invitation'> {
    return this.#people;
  }

  get newcomers(): number {
    return this.#newcomers;
  }

  consumer(id: string): Consumer | null {
    return this.#consumers.get(id) ?? null;
  }

  /** The spent budgets of an erased caller that has not returned yet. */
  usage(owner: string, collection: string): Usage {
    const known = this.#usage.get(name(owner, collection));
    if (known !== undefined || this.#consumers.has(owner)) return known ?? unused;
    const spent = this.#spent.find((one) => one.owner === owner && one.collection === collection);
    return spent === undefined ? unused : { ...unused, ...spent.usage };
  }

  record(collection: string, id: string): StoredRecord | null {
    return this.#records.get(name(collection, id)) ?? null;
  }

  idempotencyKey(key: IdempotencyKeyName): StoredIdempotencyKey | null {
    return this.#keys.get(nameOfKey(key)) ?? null;
  }

  /** The number of changes so far: an argument for `backTo`. */
  get mark(): number {
    return this.#applied.length;
  }

  /** The state as it was at the mark. It is built anew, because only a refused batch goes back. */
  backTo(mark: number): BatchState {
    const state = new BatchState(...this.#source);
    for (const effects of this.#applied.slice(0, mark)) state.apply(effects);
    return state;
  }

  /** True if the proof or the id with this digest was used before. */
  isUsed(digest: Uint8Array): boolean {
    const name = nameOfDigest(digest);
    return this.#usedProofs.has(name) || this.#newProofs.has(name);
  }

  apply(effects: Effects): void {
    const { newConsumer, usage, released, put, removed, idempotencyKey, usedId } = effects;
    const { proof, childWork, history, event } = effects;
    this.#applied.push(effects);
    this.#people.apply(effects);
    if (newConsumer !== undefined) this.#register(newConsumer);
    if (usage !== undefined) this.#setUsage(usage.owner, usage.collection, usage.after);
    if (released !== undefined) this.#release(released.owner, released.collection);
    if (childWork !== undefined) this.#family.work(childWork);
    if (put !== undefined) {
      const key = name(put.collection, put.id);
      const before = this.#records.get(key) ?? null;
      this.#records.set(key, put);
      this.#family.move(before, put);
      this.#touched.set(key, put);
    }
    if (removed !== undefined) {
      const key = name(removed.collection, removed.id);
      this.#family.move(this.#records.get(key) ?? null, null);
      this.#records.delete(key);
      this.#touched.set(key, removed);
    }
    if (idempotencyKey !== undefined) {
      this.#keys.set(nameOfKey(idempotencyKey), idempotencyKey);
      this.#newKeys.set(nameOfKey(idempotencyKey), idempotencyKey);
    }
    if (proof !== undefined) this.#newProofs.set(nameOfDigest(proof.digest), proof);
    // Used ids are stored with used proofs, without expiry.
    if (usedId !== undefined)
      this.#newProofs.set(nameOfDigest(usedId), { digest: usedId, expiresAt: Number.MAX_SAFE_INTEGER });
    if (history !== undefined) this.#history.push(history);
    if (event) this.#events.push(event);
  }

  /** The rows to write, each at most once. */
  changes(): BatchChanges {
    const newRecords: StoredRecord[] = [];
    const changedRecords: StoredRecord[] = [];
    const removedRecords: RecordName[] = [];
    const { takenOver } = this.#family;
    const steps = takenOver.size === 0 ? [] : this.#applied.filter(isStepIn(takenOver));
    for (const [key, { collection, id }] of this.#touched) {
      if (takenOver.has(collection)) continue;
      const before = this.#loaded.get(key);
      const after = this.#records.get(key);
      if (after === undefined) {
        if (before !== undefined) removedRecords.push({ collection, id });
      } else if (before === undefined) newRecords.push(after);
      else changedRecords.push(after);
    }
    return {
      newConsumers: [...this.#newConsumers.values()],
      takenUpBudgets: this.#takenUp,
      newRecords,
      changedRecords,
      removedRecords,
      steps,
      ...this.#usageDifference(),
      idempotencyKeys: [...this.#newKeys.values()],
      ...this.#people.changes(),
      ...this.#family.changes(),
      // The history of a record is deleted with it.
      history: this.#history.filter(({ collection, recordId }) => this.record(collection, recordId) !== null),
      proofs: [...this.#newProofs.values()],
      events: this.#events,
    };
  }

  #usageDifference(): Pick<BatchChanges, 'newUsage' | 'changedUsage' | 'movedUsage'> {
    const newUsage: BatchChanges['newUsage'][number][] = [];
    const changedUsage: BatchChanges['changedUsage'][number][] = [];
    const movedUsage: BatchChanges['movedUsage'][number][] = [];
    for (const [key, { owner, collection, moved, after }] of this.#usageChanges) {
      if (after === null) movedUsage.push({ owner, collection, moved });
      else if (this.#loadedUsage.has(key)) changedUsage.push({ ...after, owner, collection, moved });
      else newUsage.push({ ...after, owner, collection });
    }
    return { newUsage, changedUsage, movedUsage };
  }

  /** An erased caller that returns continues with its spent budgets. */
  #register(consumer: Consumer): void {
    const { id, kind, registeredAt } = consumer;
    const spent = this.#spent.filter(({ owner }) => owner === id);
    if (spent[0] !== undefined) this.#takenUp.push(spent[0].former);
    for (const { collection, usage, endsAt } of spent)
      if (endsAt > registeredAt) this.#setUsage(id, collection, { ...unused, ...usage });
    this.#consumers.set(id, consumer);
    this.#newConsumers.set(id, consumer);
    if (kind === 'user') this.#newcomers += 1;
  }

  #setUsage(owner: string, collection: string, after: Usage): void {
    const key = name(owner, collection);
    const before = this.#usage.get(key) ?? unused;
    const moved = (this.#usageChanges.get(key)?.moved ?? 0) + after.records - before.records;
    this.#usage.set(key, after);
    this.#usageChanges.set(key, { owner, collection, moved, after });
  }

  /** An owner who did not write keeps its budgets. */
  #release(owner: string, collection: string): void {
    const key = name(owner, collection);
    const known = this.#usage.get(key);
    if (known !== undefined) this.#usage.set(key, { ...known, records: Math.max(known.records - 1, 0) });
    const { moved, after } = this.#usageChanges.get(key) ?? { moved: 0, after: null };
    const left = after === null ? null : { ...after, records: Math.max(after.records - 1, 0) };
    this.#usageChanges.set(key, { owner, collection, moved: moved - 1, after: left });
  }
}

/** Whether it changes a record of one of these collections. */
function isStepIn(collections: ReadonlySet<string>) {
  return ({ put, removed }: Effects): boolean => collections.has((put ?? removed)?.collection ?? '');
}

/** No part of a name contains NUL. */
function name(...parts: readonly string[]): string {
  return parts.join('\0');
}

function nameOfKey({ owner, collection, keyDigest }: IdempotencyKeyName): string {
  return name(owner, collection, nameOfDigest(keyDigest));
}

function nameOfDigest(digest: Uint8Array): string {
  return Buffer.from(digest).toString('latin1');
}
