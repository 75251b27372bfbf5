/**
 * A bounded map that evicts what was not used recently. When the young generation is full it becomes the old one, and the
 * old one is dropped; a hit in the old one moves the entry. A large entry may take several places.
 */
export class RecentMap<K, V> {
  readonly #half: number;
  readonly #placesOf: (value: V) => number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #youngPlaces = 0;
  #oldPlaces = 0;

  constructor(maxPlaces: number, placesOf: (value: V) => number = () => 1) {
    this.#half = Math.floor(maxPlaces / 2);
    this.#placesOf = placesOf;
  }

  get(key: K): V | undefined {
    const value = this.#young.get(key);
    return value === undefined ? this.#rescue(key) : value;
  }

  set(key: K, value: V): void {
    const replaced = this.#young.get(key);
    if (replaced !== undefined) this.#youngPlaces -= this.#placesOf(replaced);
    else if (this.#youngPlaces >= this.#half) {
      this.#old = this.#young;
      this.#oldPlaces = this.#youngPlaces;
      this.#young = new Map();
      this.#youngPlaces = 0;
    }
    this.#young.set(key, value);
    this.#youngPlaces += this.#placesOf(value);
  }

  delete(key: K): void {
    this.#youngPlaces -= this.#deleteOne(this.#young, key);
    this.#oldPlaces -= this.#deleteOne(this.#old, key);
  }

  /** Linear: some milliseconds for a hundred thousand entries. */
  deleteWhere(isUnwanted: (value: V) => boolean): void {
    this.#youngPlaces -= this.#deleteFrom(this.#young, isUnwanted);
    this.#oldPlaces -= this.#deleteFrom(this.#old, isUnwanted);
  }

  *values(): Generator<V, void> {
    yield* this.#young.values();
    yield* this.#old.values();
  }

  /** An old entry that was used again counts twice until the old ones go. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get places(): number {
    return this.#youngPlaces + this.#oldPlaces;
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#youngPlaces = 0;
    this.#oldPlaces = 0;
  }

  /** Deletes unwanted entries. Returns how many places became free. */
  #deleteFrom(generation: Map<K, V>, isUnwanted: (value: V) => boolean): number {
    let places = 0;
    for (const [key, value] of generation) {
      if (isUnwanted(value)) places += this.#deleteOne(generation, key);
    }
    return places;
  }

  #deleteOne(generation: Map<K, V>, key: K): number {
    const value = generation.get(key);
    return value !== undefined && generation.delete(key) ? this.#placesOf(value) : 0;
  }

  #rescue(key: K): V | undefined {
    const value = this.#old.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }
}

/** Memoises a pure function for its last argument. */
export function rememberLast<K, V>(compute: (key: K) => V): (key: K) => V {
  let last: { readonly key: K; readonly value: V } | null = null;
  return (key) => {
    if (last === null || last.key !== key) last = { key, value: compute(key) };
    return last.value;
  };
}
