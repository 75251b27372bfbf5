/** Round-robin between keys (callers, addresses): a key with many items does not delay the others. */
export class FairQueue<Item> {
  /** Keys in the order of their turns. */
  readonly #lines = new Map<string, Item[]>();
  readonly #weightOf: (item: Item) => number;
  #size = 0;

  /** `weightOf`: how many an item counts for (default: one). */
  constructor(weightOf: (item: Item) => number = () => 1) {
    this.#weightOf = weightOf;
  }

  get size(): number {
    return this.#size;
  }

  lengthOf(key: string): number {
    return this.#weighed(this.#lines.get(key) ?? []);
  }

  /** `isFirst`: at the head of the line of its key. */
  push(key: string, item: Item, isFirst = false): void {
    const line = this.#lines.get(key);
    if (line === undefined) this.#lines.set(key, [item]);
    else if (isFirst) line.unshift(item);
    else line.push(item);
    this.#size += this.#weightOf(item);
  }

  /** The first item of the next key in turn. A key whose first item is not ready keeps its turn. */
  take(isReady: (key: string, item: Item) => boolean = () => true): Item | undefined {
    for (const [key, line] of this.#lines) {
      if (!isReady(key, line[0] as Item)) continue;
      const next = line.shift() as Item;
      this.#size -= this.#weightOf(next);
      this.#lines.delete(key);
      if (line.length > 0) this.#lines.set(key, line);
      return next;
    }
    return undefined;
  }

  removeWhere(isUnwanted: (item: Item) => boolean): Item[] {
    const removed: Item[] = [];
    for (const [key, line] of this.#lines) {
      if (!line.some(isUnwanted)) continue;
      removed.push(...line.filter(isUnwanted));
      const left = line.filter((item) => !isUnwanted(item));
      if (left.length === 0) this.#lines.delete(key);
      else this.#lines.set(key, left);
    }
    this.#size -= this.#weighed(removed);
    return removed;
  }

  #weighed(items: readonly Item[]): number {
    return items.reduce((sum, item) => sum + this.#weightOf(item), 0);
  }

  *[Symbol.iterator](): Iterator<Item> {
    for (const line of this.#lines.values()) yield* line;
  }
}
