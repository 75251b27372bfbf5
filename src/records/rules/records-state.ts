import type { BatchChanges, RecordName, StoredRecord } from '../../storage/port.ts';
import { type LoadedRows, nameOf } from './loaded-rows.ts';

/** The records of a batch, as changed by the operations decided so far. */
export class RecordsState {
  readonly #rows: LoadedRows;
  /** Null: removed. */
  readonly #changed = new Map<string, StoredRecord | null>();
  readonly #names = new Map<string, RecordName>();

  constructor(rows: LoadedRows) {
    this.#rows = rows;
  }

  find(collection: string, id: string): StoredRecord | null {
    const changed =
      this.#changed.size === 0 ? undefined : this.#changed.get(nameOf('records', { collection, id }));
    if (changed !== undefined) return changed;
    return this.#rows.first('records', { collection, id });
  }

  /** The record that this one is under. If it exists, it was loaded with a stored one. */
  above(child: RecordName, parent: RecordName): StoredRecord | null {
    const { collection, id } = parent;
    const isLoaded =
      this.#stored(child) !== null && !this.#changed.has(nameOf('records', { collection, id }));
    return isLoaded ? this.#stored(parent) : this.find(collection, id);
  }

  /** True if this batch has made or removed it: nothing of it is in the database, or nothing that still counts. */
  isOwn(collection: string, id: string): boolean {
    if (this.#changed.size === 0) return false;
    const changed = this.#changed.get(nameOf('records', { collection, id }));
    return changed === null || (changed !== undefined && this.#stored({ collection, id }) === null);
  }

  isRemoved(collection: string, id: string): boolean {
    return this.#changed.get(nameOf('records', { collection, id })) === null;
  }

  /** Sets a record, or removes it with null; returns the one before. */
  set(name: RecordName, after: StoredRecord | null): StoredRecord | null {
    const { collection, id } = name;
    const key = nameOf('records', { collection, id });
    const changed = this.#changed.get(key);
    this.#changed.set(key, after);
    this.#names.set(key, { collection, id });
    return changed === undefined ? this.#stored(name) : changed;
  }

  /** Without the records of some collections. */
  changes(
    left: ReadonlySet<string>,
  ): Required<Pick<BatchChanges, 'newRecords' | 'changedRecords' | 'removedRecords'>> {
    const newRecords: StoredRecord[] = [];
    const changedRecords: StoredRecord[] = [];
    const removedRecords: RecordName[] = [];
    for (const [key, name] of this.#names) {
      if (left.has(name.collection)) continue;
      const after = this.#changed.get(key) ?? null;
      const isStored = this.#stored(name) !== null;
      if (after !== null) (isStored ? changedRecords : newRecords).push(after);
      else if (isStored) removedRecords.push(name);
    }
    return { newRecords, changedRecords, removedRecords };
  }

  #stored({ collection, id }: RecordName): StoredRecord | null {
    return this.#rows.peek('records', { collection, id });
  }
}
