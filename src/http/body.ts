import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../base/errors.ts';

/** Memory for the bodies of all authenticated callers, and of one caller. */
export const maxBodyBytesInAll = 64 * 1024 * 1024;
export const maxBodyBytesPerCaller = 8 * 1024 * 1024;
/** The same for requests without a caller (POST /token and the like), and for one address. */
export const maxAnonymousBodyBytesInAll = 16 * 1024 * 1024;
export const maxAnonymousBodyBytesPerAddress = 4 * 1024 * 1024;
/** Each piece costs a turn of Node's parser, however small it is. */
export const maxBodyPieces = 4_096;

/** A longer body waits for a place of its caller before it is received. */
const largeBodyBytes = 64 * 1024;

const smallestBuffer = 1_024;

/** The length by its Content-Length. */
export function isTooLong({ headers }: IncomingMessage, maxBytes: number): boolean {
  return Number(headers['content-length'] ?? 0) > maxBytes;
}

export class BodyReader {
  readonly #maxBytes: number;
  readonly #authenticated = new ByteBudget(maxBodyBytesInAll, maxBodyBytesPerCaller, 'request bodies');
  readonly #anonymous = new ByteBudget(
    maxAnonymousBodyBytesInAll,
    maxAnonymousBodyBytesPerAddress,
    'request bodies',
  );

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** By its Content-Length. Chunks are read at once: unread ones of a byte would take a hundred times their size. */
  isLarge({ headers }: IncomingMessage, maxBytes = this.#maxBytes): boolean {
    return Math.min(Number(headers['content-length'] ?? 0), maxBytes) > largeBodyBytes;
  }

  /** `callerId` is null for a request without a caller, which is counted by its address. `maxBytes`: of routes with a limit of their own. */
  read(
    request: IncomingMessage,
    callerId: string | null,
    address: string,
    maxBytes = this.#maxBytes,
  ): PendingBody {
    if (isTooLong(request, maxBytes)) throw new Refusal('body_too_large');
    const budget = callerId === null ? this.#anonymous : this.#authenticated;
    return readBody(request, maxBytes, budget, callerId ?? address);
  }
}

interface PendingBody {
  /** Rejects when the body is too large, gives way, or breaks off. */
  readonly bytes: Promise<Uint8Array>;
  /** Frees the memory, whether the whole body has come or not. */
  release(): void;
}

function readBody(request: IncomingMessage, maxBytes: number, budget: ByteBudget, key: string): PendingBody {
  const { promise: bytes, resolve, reject } = Promise.withResolvers<Uint8Array>();
  // Without a listener a rejection would end the process.
  bytes.catch(() => {});
  let buffer = Buffer.alloc(0);
  let length = 0;
  let pieces = 0;

  const holder: Holder = {
    key,
    get holdsBytes() {
      return buffer.length > 0;
    },
    giveWay(refusal) {
      release();
      reject(refusal);
    },
  };
  const stop = () => {
    budget.finish(holder);
    request.off('data', take);
    request.off('end', end);
    request.off('close', breakOff);
  };
  const release = () => {
    stop();
    budget.giveBack(holder, buffer.length);
    buffer = Buffer.alloc(0);
  };
  const grow = (needed: number) => {
    const size = Math.min(Math.max(needed, 2 * buffer.length, smallestBuffer), maxBytes);
    budget.take(holder, size - buffer.length);
    // Not from Node's pool: a small buffer would keep a large one alive.
    const larger = Buffer.allocUnsafeSlow(size);
    buffer.copy(larger, 0, 0, length);
    buffer = larger;
  };
  const take = (piece: Buffer) => {
    try {
      pieces += 1;
      const needed = length + piece.length;
      if (needed > maxBytes || pieces > maxBodyPieces) throw new Refusal('body_too_large');
      if (needed > buffer.length) grow(needed);
      piece.copy(buffer, length);
      length = needed;
    } catch (error) {
      stop();
      reject(error);
    }
  };
  const end = () => {
    stop();
    resolve(buffer.subarray(0, length));
  };
  const breakOff = () =>
    reject(new Refusal('bad_request', { detail: 'the connection ended inside the body' }));

  budget.begin(holder);
  request.on('data', take);
  request.once('end', end);
  request.once('close', breakOff);
  if (request.destroyed) breakOff();
  return { bytes, release };
}

/** Discards the rest of a body. Calls back once: true at its end, false if it is too long or the caller is gone. */
export function discardBody(
  request: IncomingMessage,
  maxBytes: number,
  onOver: (hasEnded: boolean) => void,
): void {
  let bytes = 0;
  let pieces = 0;
  const over = (hasEnded: boolean) => {
    request.off('data', pass);
    request.off('end', end);
    request.off('close', close);
    onOver(hasEnded);
  };
  const pass = (piece: Buffer) => {
    bytes += piece.length;
    pieces += 1;
    if (bytes > maxBytes || pieces > maxBodyPieces) over(false);
  };
  const end = () => over(true);
  const close = () => over(false);
  request.on('data', pass);
  request.once('end', end);
  request.once('close', close);
}

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
