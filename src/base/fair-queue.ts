/** Round-robin between keys (callers, addresses): one that sends many delays no other. */
export class FairQueue<Item> {
  /** Keys in the order of their turns. */
  readonly #lines = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  lengthOf(key: string): number {
    return this.#lines.get(key)?.length ?? 0;
  }

  push(key: string, item: Item): void {
    const line = this.#lines.get(key);
    if (line === undefined) this.#lines.set(key, [item]);
    else line.push(item);
    this.#size += 1;
  }

  /** The first item of the next key in turn. */
  take(): Item | undefined {
    for (const [key, line] of this.#lines) {
      const next = line.shift();
      this.#size -= 1;
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
    this.#size -= removed.length;
    return removed;
  }

  *[Symbol.iterator](): Iterator<Item> {
    for (const line of this.#lines.values()) yield* line;
  }
}
