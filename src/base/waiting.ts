/**
 * Who waits for an answer, by number. Not a map: each table that a map outgrows leads to the next one, and once the first
 * is old, whatever was ever in them survives until the whole heap is looked through.
 */
export class Waiting<T> {
  readonly #places: (T | undefined)[] = [];
  readonly #free: number[] = [];

  /** The number of the place; the first is 0, and one that is free again is given away again. */
  add(one: T): number {
    const place = this.#free.pop() ?? this.#places.length;
    this.#places[place] = one;
    return place;
  }

  take(place: number): T | undefined {
    const one = this.#places[place];
    if (one === undefined) return undefined;
    this.#places[place] = undefined;
    this.#free.push(place);
    return one;
  }

  takeAll(): T[] {
    this.#free.length = 0;
    return this.#places.splice(0).filter((one) => one !== undefined);
  }
}
