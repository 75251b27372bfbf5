/**
 * A map that keeps what was used of late and is never larger than its bound. Two generations of entries stand in for
 * a list by last use: when the young ones fill up they become the old ones, and the old ones that nobody asked for
 * are gone. A hit on a young one costs no more than a look into a plain map.
 */
export class RecentMap<K, V> {
  readonly #half: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  constructor(maxEntries: number) {
    this.#half = Math.floor(maxEntries / 2);
  }

  get(key: K): V | undefined {
    const value = this.#young.get(key);
    return value === undefined ? this.#rescue(key) : value;
  }

  set(key: K, value: V): void {
    if (this.#young.size >= this.#half && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  /** Takes as long as there are entries: some milliseconds for a hundred thousand. */
  deleteWhere(isUnwanted: (value: V) => boolean): void {
    for (const generation of [this.#young, this.#old]) {
      for (const [key, value] of generation) if (isUnwanted(value)) generation.delete(key);
    }
  }

  /** Places taken: an old entry that was used again has two of them, until the old ones go. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  isEmpty(): boolean {
    return this.size === 0;
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }

  #rescue(key: K): V | undefined {
    const value = this.#old.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }
}
