const firstPlaces = 1024;
/** Fuller than that, and a search for a free place takes long. */
const fullest = 0.75;

/**
 * A set of digests in two typed arrays: a `Set` of a million texts takes a hundred megabytes, and V8 looks through all of
 * them whenever it collects. Of each digest the first eight bytes are kept. Two may have the same ones, once in ten
 * trillion times with a million in the set; then the second is taken for the first.
 */
export class DigestSet {
  #high = new Uint32Array(firstPlaces);
  #low = new Uint32Array(firstPlaces);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(digest: Uint8Array): boolean {
    const at = this.#placeOf(read(digest, 0), read(digest, 4));
    return !this.#isFree(at);
  }

  add(digest: Uint8Array): void {
    if (this.#size + 1 > this.#high.length * fullest) this.#grow();
    this.#put(read(digest, 0), read(digest, 4));
  }

  #put(high: number, low: number): void {
    const at = this.#placeOf(high, low);
    if (this.#isFree(at)) this.#size += 1;
    this.#high[at] = high;
    this.#low[at] = low;
  }

  /** Where it is, or where it would be: the next free place after the one that its bits name. */
  #placeOf(high: number, low: number): number {
    const mask = this.#high.length - 1;
    let at = low & mask;
    while (!this.#isFree(at) && (this.#high[at] !== high || this.#low[at] !== low)) at = (at + 1) & mask;
    return at;
  }

  /** `read` never yields zero for the high half. */
  #isFree(at: number): boolean {
    return this.#high[at] === 0;
  }

  #grow(): void {
    const high = this.#high;
    const low = this.#low;
    this.#high = new Uint32Array(high.length * 2);
    this.#low = new Uint32Array(high.length * 2);
    this.#size = 0;
    for (let at = 0; at < high.length; at += 1)
      if (high[at] !== 0) this.#put(high[at] as number, low[at] as number);
  }
}

/** Four bytes as a number. Zero stands for a free place, so that it is read as one. */
function read(digest: Uint8Array, at: number): number {
  const byte = (index: number) => digest[at + index] as number;
  return ((byte(0) << 24) | (byte(1) << 16) | (byte(2) << 8) | byte(3)) >>> 0 || 1;
}
