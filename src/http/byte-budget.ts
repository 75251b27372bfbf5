import type { ServerResponse } from 'node:http';
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

/** Memory for whole answers that callers have not read yet, in all and for one address; the same for answers in pieces. */
const maxUnsentBytesInAll = 64 * 1024 * 1024;
export const maxUnsentBytesPerAddress = 32 * 1024 * 1024;
/** What an answer in pieces counts for: a page of records, and the piece that is being sent. */
export const bytesOfAnswerInPieces = 1024 * 1024;
const smallAnswerBytes = 4_096;
/** What an answer counts for whose bytes are in memory once for all callers. */
export const bytesOfSharedAnswer = 8_192;

type OnEnd = (cutOff: Refusal | null) => void;

/** Bounds the memory of answers that callers read slowly. */
export class UnsentAnswers {
  readonly #whole = new ByteBudget(maxUnsentBytesInAll, maxUnsentBytesPerAddress, 'unsent answers');
  readonly #inPieces = new ByteBudget(maxUnsentBytesInAll, maxUnsentBytesPerAddress, 'answers in pieces');

  /**
   * For a whole answer that the system has not taken at once. Without room the oldest one is cut off. False if the answer is too small to
   * count; else `onEnd` gets null, or the reason why the answer was cut off.
   */
  hold(response: ServerResponse, bytes: number, addressOf: () => string, onEnd: OnEnd): boolean {
    if (bytes <= smallAnswerBytes) return false;
    // An answer above the limit is the only one of its address.
    this.#count(response, Math.min(bytes, maxUnsentBytesPerAddress), addressOf(), onEnd);
    return true;
  }

  /** Before an answer in pieces begins. Throws without room: a caller that is cut off has to start again. */
  holdPieces(response: ServerResponse, address: string): void {
    this.#count(response, bytesOfAnswerInPieces, address, null);
  }

  /** `onEnd` is null for an answer in pieces, which cannot be cut off. */
  #count(response: ServerResponse, bytes: number, key: string, onEnd: OnEnd | null): void {
    const budget = onEnd === null ? this.#inPieces : this.#whole;
    const end: OnEnd = (cutOff) => {
      response.off('close', close);
      budget.finish(holder);
      budget.giveBack(holder, bytes);
      onEnd?.(cutOff);
    };
    const close = () => end(null);
    const holder: Holder = {
      key,
      holdsBytes: onEnd !== null,
      giveWay(refusal) {
        end(refusal);
        response.destroy();
      },
    };
    budget.take(holder, bytes);
    budget.begin(holder);
    response.once('close', close);
  }
}
