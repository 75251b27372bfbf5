import { Refusal } from '../base/errors.ts';

export interface Holder {
  /** A caller or an address. */
  readonly key: string;
  readonly holdsBytes: boolean;
  /** Frees its memory for another holder. */
  giveWay(refusal: Refusal): void;
}

/** Bounds memory, in all and for each key. Where there is no room, the oldest evictable holder gives way. */
export class ByteBudget {
  readonly #max: number;
  readonly #maxPerKey: number;
  readonly #detail: string;
  #held = 0;
  readonly #heldByKey = new Map<string, number>();
  readonly #evictable = new Set<Holder>();

  constructor(max: number, maxPerKey: number, detail: string) {
    this.#max = max;
    this.#maxPerKey = maxPerKey;
    this.#detail = detail;
  }

  /** Makes the holder evictable. */
  begin(holder: Holder): void {
    this.#evictable.add(holder);
  }

  finish(holder: Holder): void {
    this.#evictable.delete(holder);
  }

  /** Throws when there is no room, even without other evictable holders. */
  take(holder: Holder, bytes: number): void {
    const { key } = holder;
    while ((this.#heldByKey.get(key) ?? 0) + bytes > this.#maxPerKey) this.#makeRoom(holder, key);
    while (this.#held + bytes > this.#max) this.#makeRoom(holder, null);
    this.#change(key, bytes);
  }

  giveBack({ key }: Holder, bytes: number): void {
    this.#change(key, -bytes);
  }

  #makeRoom(holder: Holder, key: string | null): void {
    const refusal = new Refusal('overloaded', { detail: this.#detail });
    for (const other of this.#evictable) {
      if (other === holder || !other.holdsBytes || (key !== null && other.key !== key)) continue;
      other.giveWay(refusal);
      return;
    }
    throw refusal;
  }

  #change(key: string, bytes: number): void {
    this.#held += bytes;
    const held = (this.#heldByKey.get(key) ?? 0) + bytes;
    if (held === 0) this.#heldByKey.delete(key);
    else this.#heldByKey.set(key, held);
  }
}
