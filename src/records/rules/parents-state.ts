import type { Collection } from '../../collections/collection.ts';
import { isTallied, parentOf } from '../../collections/lineage.ts';
import { uniqueKey, uniqueQuery } from '../../collections/unique.ts';
import type { BatchChanges, ChildWork, RecordName, StoredRecord, Tally } from '../../storage/port.ts';
import type { LoadedRows } from './loaded-rows.ts';
import { maxInBatch, maxParts } from './operation.ts';
import type { RecordsState } from './records-state.ts';

/** Each transaction has fewer writes: one of these is left after it, or there are no others. */
const maxLoaded = maxInBatch + maxParts;

/** Tallies, unique values and waiting lines of a batch, as changed by the operations decided so far. */
export class ParentsState {
  readonly #rows: LoadedRows;
  readonly #collections: ReadonlyMap<string, Collection>;
  readonly #records: RecordsState;
  /** Changes of tallies. */
  readonly #moved = new Map<string, Tally>();
  /** The id of the record with these values; null: given up. */
  readonly #holders = new Map<string, string | null>();
  /** The id of the record that gave these values up. */
  readonly #formerHolders = new Map<string, string>();
  readonly #takenOver = new Set<string>();
  /** Ids of records that joined a waiting line, and of new records, by collection and parent. */
  readonly #waiting = new Map<string, Set<string>>();
  readonly #children = new Map<string, Set<string>>();
  readonly #work = new Map<string, ChildWork>();

  constructor(rows: LoadedRows, collections: ReadonlyMap<string, Collection>, records: RecordsState) {
    this.#rows = rows;
    this.#collections = collections;
    this.#records = records;
  }

  /** The number of records of a collection under this one, in all states or in some. */
  countUnder({ collection, id }: RecordName, child: string, states?: readonly string[]): number {
    const under = { collection, recordId: id, child };
    const stored = this.#records.isOwn(collection, id) ? [] : this.#rows.find('tallies', under);
    const counted = states ?? [...(this.#collections.get(child)?.machine?.states.keys() ?? [''])];
    const inState = (state: string) =>
      (stored.find((one) => one.state === state)?.n ?? 0) +
      (this.#moved.get(tallyName({ ...under, state }))?.n ?? 0);
    return counted.reduce((sum, state) => sum + inState(state), 0);
  }

  /** The id of another record with the values that this one has by a unique rule. */
  holderOf(collection: Collection, rule: number, record: StoredRecord): string | null {
    const query = uniqueQuery(collection, rule, record);
    // Values that do not fit the schema are refused.
    if (query === null) return null;
    const changed = this.#holders.get(name(collection.name, rule, JSON.stringify(query.values)));
    if (changed !== undefined) return changed === record.id ? null : changed;
    return this.#rows.find('unique', query).find(({ id }) => id !== record.id)?.id ?? null;
  }

  /** Records that have waited longest come first. A record of this batch may precede one that was stored earlier. */
  waiting({ name: collection, parent }: Collection, parentId: string): readonly StoredRecord[] {
    const state = parent?.capacity?.overflow ?? null;
    const key = { collection, parentId, state, limit: maxLoaded };
    const isOwn = this.#records.isOwn(parent?.collection ?? '', parentId);
    const stored = isOwn ? [] : this.#rows.find('waiting', key);
    const ids = new Set(stored.map(({ id }) => id)).union(
      this.#waiting.get(name(collection, parentId)) ?? none,
    );
    return [...ids]
      .flatMap((id) => this.#records.find(collection, id) ?? [])
      .filter((one) => one.state === state)
      .toSorted((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1));
  }

  hasChildren(collection: string, parent: RecordName): boolean {
    const key = { collection, parentId: parent.id, limit: maxLoaded };
    const isThere = (id: string) => !this.#records.isRemoved(collection, id);
    if (this.#children.get(name(collection, parent.id))?.values().some(isThere) === true) return true;
    if (this.#records.isOwn(parent.collection, parent.id)) return false;
    return this.#rows.find('children', key).some(({ id }) => isThere(id));
  }

  work(work: ChildWork): void {
    this.#work.set(name(work.child, work.parentId, work.what), work);
  }

  /** Notes the change of a record; null: it did not exist before, or does not afterwards. */
  move(before: StoredRecord | null, after: StoredRecord | null): void {
    const record = after ?? before;
    const collection = record === null ? undefined : this.#collections.get(record.collection);
    if (record === null || collection === undefined) return;
    for (const index of collection.unique.keys()) {
      const was = before === null ? null : uniqueKey(collection, index, before);
      const is = after === null ? null : uniqueKey(collection, index, after);
      if (was === is) continue;
      const values = (key: string) => name(collection.name, index, key);
      if (was !== null) this.#holders.set(values(was), null);
      if (was !== null && after !== null) this.#formerHolders.set(values(was), record.id);
      if (is !== null) this.#take(values(is), record);
    }
    const parent = parentOf(collection, record);
    if (parent !== null) this.#moveUnder(parent, collection, before, after);
  }

  changes() {
    return {
      tallies: [...this.#moved.values()].filter(({ n }) => n !== 0),
      childWork: [...this.#work.values()],
    } satisfies BatchChanges;
  }

  /** Collections in which a record has taken the unique values that another one gave up. */
  get takenOver(): ReadonlySet<string> {
    return this.#takenOver;
  }

  #take(values: string, { collection, id }: StoredRecord): void {
    this.#holders.set(values, id);
    if ((this.#formerHolders.get(values) ?? id) !== id) this.#takenOver.add(collection);
  }

  #moveUnder(
    parent: RecordName,
    collection: Collection,
    before: StoredRecord | null,
    after: StoredRecord | null,
  ): void {
    const siblings = name(collection.name, parent.id);
    const overflow = collection.parent?.capacity?.overflow ?? null;
    if (before === null && after !== null) addTo(this.#children, siblings, after.id);
    if (overflow !== null && after?.state === overflow && before?.state !== overflow)
      addTo(this.#waiting, siblings, after.id);
    if (!isTallied(collection) || (before !== null && before.state === after?.state)) return;
    if (before !== null) this.#tally(parent, collection.name, before.state, -1);
    if (after !== null) this.#tally(parent, collection.name, after.state, 1);
  }

  #tally({ collection, id: recordId }: RecordName, child: string, state: string | null, by: number): void {
    const tally = { collection, recordId, child, state: state ?? '' };
    const key = tallyName(tally);
    this.#moved.set(key, { ...tally, n: (this.#moved.get(key)?.n ?? 0) + by });
  }
}

const none: ReadonlySet<string> = new Set();

function addTo(sets: Map<string, Set<string>>, key: string, id: string): void {
  sets.set(key, (sets.get(key) ?? new Set()).add(id));
}

function tallyName({ collection, recordId, child, state }: Omit<Tally, 'n'>): string {
  return name(collection, recordId, child, state);
}

/** No part of a name contains NUL, and keys come last. */
function name(...parts: readonly (string | number)[]): string {
  return parts.join('\0');
}
