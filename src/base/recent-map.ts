/**
 * A map that keeps what was used of late and is never larger than its bound. Two generations of entries stand in for
 * a list by last use: when the young ones fill up they become the old ones, and the old ones that nobody asked for
 * are gone. A hit on a young one costs no more than a look into a plain map. Where entries differ in size, a large one
 * takes several places; the last of a generation may take more than were left.
 */
export class RecentMap<K, V> {
  readonly #half: number;
  readonly #placesOf: (value: V) => number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  /** That each generation takes. */
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

  /** Takes as long as there are entries: some milliseconds for a hundred thousand. */
  deleteWhere(isUnwanted: (value: V) => boolean): void {
    this.#youngPlaces -= this.#deleteFrom(this.#young, isUnwanted);
    this.#oldPlaces -= this.#deleteFrom(this.#old, isUnwanted);
  }

  /** An old entry that was used again counts twice, until the old ones go. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** Those that are taken, by the same count. */
  get places(): number {
    return this.#youngPlaces + this.#oldPlaces;
  }

  isEmpty(): boolean {
    return this.size === 0;
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#youngPlaces = 0;
    this.#oldPlaces = 0;
  }

  /** How many places that leaves. */
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
