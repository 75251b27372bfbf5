import type { UsedProof } from '../../base/caller.ts';
import type { Collection } from '../../collections/collection.ts';
import type {
  BatchChanges,
  ChildWork,
  Consumer,
  IdempotencyKeyName,
  NewEvent,
  NewHistoryEntry,
  OwnerInCollection,
  StoredIdempotencyKey,
  StoredRecord,
  Usage,
  UsageRow,
} from '../../storage/port.ts';
import { unused } from './budgets.ts';
import { digestText, type LoadedRows, nameOf } from './loaded-rows.ts';
import { ParentsState } from './parents-state.ts';
import { type PeopleEffects, PeopleState } from './people-state.ts';
import { RecordsState } from './records-state.ts';

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

export interface StateRules {
  readonly collections: ReadonlyMap<string, Collection>;
  readonly formerOf: (id: string) => Uint8Array;
}

/** The loaded rows of a batch, as changed by the operations decided so far. */
export class BatchState {
  readonly rows: LoadedRows;
  readonly records: RecordsState;
  readonly #rules: StateRules;
  readonly #applied: Effects[] = [];
  readonly #newConsumers = new Map<string, Consumer>();
  readonly #takenUp: { readonly former: Uint8Array }[] = [];
  readonly #usage = new Map<string, Usage>();
  readonly #usageChanges = new Map<string, UsageChange>();
  readonly #newKeys = new Map<string, StoredIdempotencyKey>();
  readonly #newProofs = new Map<string, UsedProof>();
  readonly #events: NewEvent[] = [];
  readonly #history: NewHistoryEntry[] = [];
  #newUsers = 0;
  #people: PeopleState | undefined;
  #parents: ParentsState | undefined;

  constructor(rows: LoadedRows, rules: StateRules) {
    this.rows = rows;
    this.#rules = rules;
    this.records = new RecordsState(rows);
  }

  /** Made when they are needed: a plain record needs neither. */
  get people(): PeopleState {
    this.#people ??= new PeopleState(this.rows, this.records);
    return this.#people;
  }

  get parents(): ParentsState {
    this.#parents ??= new ParentsState(this.rows, this.#rules.collections, this.records);
    return this.#parents;
  }

  /** The number of users registered since then, up to a limit. */
  newcomers(since: number, maxCount: number): number {
    return (this.rows.first('newcomers', { since, maxCount })?.count ?? 0) + this.#newUsers;
  }

  consumer(id: string): Consumer | null {
    return this.#newConsumers.get(id) ?? this.rows.first('consumers', { id });
  }

  /** An erased caller that has not returned yet has spent budgets instead. */
  usage(owner: string, collection: string): Usage {
    const changed = this.#usage.get(nameOf('usage', { owner, collection }));
    const known = changed ?? this.rows.first('usage', { owner, collection });
    if (known !== null || this.consumer(owner) !== null) return known ?? unused;
    const spent = this.spentBudgets(owner).find((one) => one.collection === collection);
    return spent === undefined ? unused : { ...unused, ...budgetsIn(spent) };
  }

  spentBudgets(owner: string) {
    return this.rows.find('spentBudgets', { former: this.#rules.formerOf(owner) });
  }

  record(collection: string, id: string): StoredRecord | null {
    return this.records.find(collection, id);
  }

  idempotencyKey(key: IdempotencyKeyName): StoredIdempotencyKey | null {
    return this.#newKeys.get(nameOf('idempotencyKeys', key)) ?? this.rows.first('idempotencyKeys', key);
  }

  /** True if the proof or the id with this digest was used before. */
  isUsed(digest: Uint8Array): boolean {
    return this.#newProofs.has(digestText(digest)) || this.rows.first('proofs', { digest }) !== null;
  }

  /** The number of changes so far: an argument for `backTo`. */
  get mark(): number {
    return this.#applied.length;
  }

  /** The state as it was at the mark. It is built anew, because only a refused batch goes back. */
  backTo(mark: number): BatchState {
    const state = new BatchState(this.rows, this.#rules);
    for (const effects of this.#applied.slice(0, mark)) state.apply(effects);
    return state;
  }

  apply(effects: Effects): void {
    const { newConsumer, usage, released, put, removed, idempotencyKey, usedId } = effects;
    const { proof, childWork, history, event } = effects;
    this.#applied.push(effects);
    const { joined, left, invitation, closed } = effects;
    if (joined ?? left ?? invitation ?? closed ?? removed) this.people.apply(effects);
    if (newConsumer !== undefined) this.#register(newConsumer);
    if (usage !== undefined) this.#setUsage(usage.owner, usage.collection, usage.after);
    if (released !== undefined) this.#release(released.owner, released.collection);
    if (childWork !== undefined) this.parents.work(childWork);
    if (put !== undefined) this.#move(this.records.set(put, put), put);
    if (removed !== undefined) this.#move(this.records.set(removed, null), null);
    if (idempotencyKey !== undefined)
      this.#newKeys.set(nameOf('idempotencyKeys', idempotencyKey), idempotencyKey);
    if (proof !== undefined) this.#newProofs.set(digestText(proof.digest), proof);
    // Used ids are stored with used proofs, without expiry.
    if (usedId !== undefined)
      this.#newProofs.set(digestText(usedId), { digest: usedId, expiresAt: Number.MAX_SAFE_INTEGER });
    if (history !== undefined) this.#history.push(history);
    if (event) this.#events.push(event);
  }

  /** The rows to write, each at most once. */
  changes(): BatchChanges {
    const takenOver = this.#parents?.takenOver ?? none;
    const steps = takenOver.size === 0 ? [] : this.#applied.filter(isStepIn(takenOver));
    return {
      newConsumers: [...this.#newConsumers.values()],
      takenUpBudgets: this.#takenUp,
      ...this.records.changes(takenOver),
      steps,
      ...this.#usageDifference(),
      idempotencyKeys: [...this.#newKeys.values()],
      ...this.#people?.changes(),
      ...this.#parents?.changes(),
      // The history of a record is deleted with it.
      history: this.#history.filter(
        ({ collection, recordId }) => !this.records.isRemoved(collection, recordId),
      ),
      proofs: [...this.#newProofs.values()],
      events: this.#events,
    };
  }

  #move(before: StoredRecord | null, after: StoredRecord | null): void {
    const { collection = '' } = after ?? before ?? {};
    const { parent = null, unique = [] } = this.#rules.collections.get(collection) ?? {};
    if (parent !== null || unique.length > 0) this.parents.move(before, after);
  }

  #usageDifference(): Required<Pick<BatchChanges, 'newUsage' | 'changedUsage' | 'movedUsage'>> {
    const newUsage: UsageRow[] = [];
    const changedUsage: UsageRow[] = [];
    const movedUsage: Pick<UsageRow, 'owner' | 'collection' | 'records'>[] = [];
    for (const { owner, collection, moved, after } of this.#usageChanges.values()) {
      if (after === null) movedUsage.push({ owner, collection, records: moved });
      else if (this.#newConsumers.has(owner) || this.rows.first('usage', { owner, collection }) === null)
        newUsage.push({ ...after, owner, collection });
      else changedUsage.push({ ...after, owner, collection, records: moved });
    }
    return { newUsage, changedUsage, movedUsage };
  }

  /** An erased caller that returns continues with its spent budgets. */
  #register(consumer: Consumer): void {
    const { id, kind, registeredAt } = consumer;
    const spent = this.spentBudgets(id);
    if (spent[0] !== undefined) this.#takenUp.push({ former: spent[0].former });
    for (const { collection, endsAt, ...one } of spent)
      if (endsAt > registeredAt) this.#setUsage(id, collection, { ...unused, ...budgetsIn(one) });
    this.#newConsumers.set(id, consumer);
    if (kind === 'user') this.#newUsers += 1;
  }

  #setUsage(owner: string, collection: string, after: Usage): void {
    const key = nameOf('usage', { owner, collection });
    const before = this.#latestUsage(owner, collection) ?? unused;
    const moved = (this.#usageChanges.get(key)?.moved ?? 0) + after.records - before.records;
    this.#usage.set(key, after);
    this.#usageChanges.set(key, { owner, collection, moved, after });
  }

  /** An owner who did not write keeps its budgets. */
  #release(owner: string, collection: string): void {
    const key = nameOf('usage', { owner, collection });
    const known = this.#latestUsage(owner, collection);
    if (known !== null) this.#usage.set(key, oneLess(known));
    const { moved, after } = this.#usageChanges.get(key) ?? { moved: 0, after: null };
    this.#usageChanges.set(key, { owner, collection, moved: moved - 1, after: after && oneLess(after) });
  }

  #latestUsage(owner: string, collection: string): Usage | null {
    return (
      this.#usage.get(nameOf('usage', { owner, collection })) ??
      this.rows.peek('usage', { owner, collection })
    );
  }
}

const none: ReadonlySet<string> = new Set();

function oneLess(usage: Usage): Usage {
  return { ...usage, records: Math.max(usage.records - 1, 0) };
}

function budgetsIn({ writes, writesSince, newcomerWrites, newcomerSince }: Omit<Usage, 'records'>) {
  return { writes, writesSince, newcomerWrites, newcomerSince };
}

/** Whether it changes a record of one of these collections. */
function isStepIn(collections: ReadonlySet<string>) {
  return ({ put, removed }: Effects): boolean => collections.has((put ?? removed)?.collection ?? '');
}
