import type { Collection } from '../../collections/collection.ts';
import { isTallied } from '../../collections/lineage.ts';
import { uniqueKey } from '../../collections/unique.ts';
import type { BatchChanges, ChildWork, Loaded, RecordName, StoredRecord, Tally } from '../../storage/port.ts';
import { parentIdOf } from '../people-names.ts';

/** Tallies, unique values and waiting lines of a batch, as changed by the operations decided so far. */
export class FamilyState {
  readonly #collections: ReadonlyMap<string, Collection>;
  readonly #records: ReadonlyMap<string, StoredRecord>;
  readonly #tallies = new Map<string, number>();
  readonly #moved = new Map<string, Tally>();
  /** The id of the record with these values. */
  readonly #holders = new Map<string, string>();
  /** The id of the record that gave these values up. */
  readonly #formerHolders = new Map<string, string>();
  readonly #takenOver = new Set<string>();
  readonly #waiting = new Map<string, readonly string[]>();
  readonly #children = new Map<string, Set<string>>();
  readonly #work: ChildWork[] = [];

  constructor(
    { tallies = [], unique = [], waiting = [], children = [] }: Loaded,
    collections: ReadonlyMap<string, Collection>,
    records: ReadonlyMap<string, StoredRecord>,
  ) {
    this.#collections = collections;
    this.#records = records;
    for (const one of tallies) this.#tallies.set(nameOfTally(one), one.count);
    for (const { collection, rule, key, id } of unique) this.#holders.set(name(collection, rule, key), id);
    for (const { child, id, ids } of waiting) this.#waiting.set(name(child, id), ids);
    for (const { child, id, ids } of children) this.#children.set(name(child, id), new Set(ids));
  }

  /** The number of records of a collection under this one, in all states or in some. */
  countUnder({ collection, id }: RecordName, child: string, states?: readonly string[]): number {
    const machine = this.#collections.get(child)?.machine;
    const counted = states ?? [...(machine?.states.keys() ?? [''])];
    const inState = (state: string) => this.#tallies.get(nameOfTally({ collection, id, child, state })) ?? 0;
    return counted.reduce((sum, state) => sum + inState(state), 0);
  }

  /** The id of another record with these values. */
  holderOf(collection: string, rule: number, key: string): string | null {
    return this.#holders.get(name(collection, rule, key)) ?? null;
  }

  /** Records that have waited longest come first. A record of this batch may precede one that was stored earlier. */
  waiting(child: string, parentId: string): readonly StoredRecord[] {
    const overflow = this.#collections.get(child)?.parent?.capacity?.overflow;
    const records = (this.#waiting.get(name(child, parentId)) ?? []).flatMap((id) => {
      const record = this.#records.get(name(child, id));
      return record !== undefined && record.state === overflow ? [record] : [];
    });
    return records.toSorted((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1));
  }

  hasChildren(child: string, parentId: string): boolean {
    return (this.#children.get(name(child, parentId))?.size ?? 0) > 0;
  }

  work(work: ChildWork): void {
    this.#work.push(work);
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
      if (was !== null) this.#holders.delete(values(was));
      if (was !== null && after !== null) this.#formerHolders.set(values(was), record.id);
      if (is !== null) this.#take(values(is), record);
    }
    if (collection.parent !== null) this.#moveUnder(collection, before, after, record);
  }

  changes(): Pick<BatchChanges, 'tallies' | 'childWork'> {
    return { tallies: [...this.#moved.values()].filter(({ count }) => count !== 0), childWork: this.#work };
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
    collection: Collection,
    before: StoredRecord | null,
    after: StoredRecord | null,
    record: StoredRecord,
  ): void {
    const parentId = parentIdOf(collection, record);
    const siblings = name(collection.name, parentId);
    if (before === null)
      this.#children.set(siblings, (this.#children.get(siblings) ?? new Set()).add(record.id));
    if (after === null) this.#children.get(siblings)?.delete(record.id);
    const overflow = collection.parent?.capacity?.overflow ?? null;
    if (overflow !== null && after?.state === overflow && before?.state !== overflow)
      this.#waiting.set(siblings, [...(this.#waiting.get(siblings) ?? []), record.id]);
    if (!isTallied(collection) || (before !== null && before.state === after?.state)) return;
    if (before !== null) this.#tally(collection, parentId, before.state, -1);
    if (after !== null) this.#tally(collection, parentId, after.state, 1);
  }

  #tally(collection: Collection, id: string, state: string | null, by: number): void {
    const tally = {
      collection: collection.parent?.collection ?? '',
      id,
      child: collection.name,
      state: state ?? '',
    };
    const key = nameOfTally(tally);
    this.#tallies.set(key, (this.#tallies.get(key) ?? 0) + by);
    this.#moved.set(key, { ...tally, count: (this.#moved.get(key)?.count ?? 0) + by });
  }
}

function nameOfTally({ collection, id, child, state }: Omit<Tally, 'count'>): string {
  return name(collection, id, child, state);
}

/** No part of a name contains NUL, and keys come last. */
function name(...parts: readonly (string | number)[]): string {
  return parts.join('\0');
}
