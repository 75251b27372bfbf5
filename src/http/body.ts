import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Refusal } from '../base/errors.ts';

/** What the bodies of all requests together may hold, and what those of one address may. */
export const mostBodyBytesAtOnce = 64 * 1024 * 1024;
export const mostBodyBytesOfAddress = 16 * 1024 * 1024;
/** Each piece costs a turn through Node's parser, however small it is: nobody sends a body letter by letter. */
export const mostBodyPieces = 4_096;

const smallestBuffer = 1_024;

export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** Whether a body says by itself that it is larger than that. */
export function isTooLong({ headers }: IncomingMessage, maxBytes: number): boolean {
  return Number(headers['content-length'] ?? 0) > maxBytes;
}

/** Reads the bodies of requests, each into one buffer that is no larger than need be. */
export class BodyReader {
  readonly #maxBytes: number;
  #held = 0;
  readonly #heldByAddress = new Map<string, number>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  read(request: IncomingMessage, address: string): PendingBody {
    if (isTooLong(request, this.#maxBytes)) throw new Refusal('body_too_large');
    return new PendingBody(request, this.#maxBytes, (bytes) => this.#hold(address, bytes));
  }

  /** Throws when there is no room for so much more. */
  #hold(address: string, bytes: number): void {
    const held = (this.#heldByAddress.get(address) ?? 0) + bytes;
    const isTooMuch = this.#held + bytes > mostBodyBytesAtOnce || held > mostBodyBytesOfAddress;
    if (bytes > 0 && isTooMuch) throw new Refusal('overloaded', { detail: 'request bodies' });
    this.#held += bytes;
    if (held === 0) this.#heldByAddress.delete(address);
    else this.#heldByAddress.set(address, held);
  }
}

/** A body on its way in. */
export class PendingBody {
  /** The whole body. Rejects as soon as it is known to be too large, or when the caller breaks off. */
  readonly bytes: Promise<Uint8Array>;
  readonly #request: IncomingMessage;
  readonly #maxBytes: number;
  readonly #hold: (bytes: number) => void;
  readonly #settle: { resolve(bytes: Uint8Array): void; reject(error: unknown): void };
  #buffer = Buffer.alloc(0);
  #length = 0;
  #pieces = 0;

  constructor(request: IncomingMessage, maxBytes: number, hold: (bytes: number) => void) {
    this.#request = request;
    this.#maxBytes = maxBytes;
    this.#hold = hold;
    const { promise, ...settle } = Promise.withResolvers<Uint8Array>();
    this.bytes = promise;
    this.#settle = settle;
    // A caller that is refused meanwhile does not wait for it.
    promise.catch(() => {});
    request.on('data', this.#take);
    request.once('end', this.#end);
    request.once('close', this.#breakOff);
  }

  /** Once nobody needs the bytes any more, whether all of them have come or not. */
  release(): void {
    this.#stop();
    this.#hold(-this.#buffer.length);
    this.#buffer = Buffer.alloc(0);
  }

  readonly #take = (piece: Buffer): void => {
    try {
      this.#pieces += 1;
      const length = this.#length + piece.length;
      if (length > this.#maxBytes || this.#pieces > mostBodyPieces) throw new Refusal('body_too_large');
      if (length > this.#buffer.length) this.#grow(length);
      piece.copy(this.#buffer, this.#length);
      this.#length = length;
    } catch (error) {
      this.#stop();
      this.#settle.reject(error);
    }
  };

  #grow(length: number): void {
    const size = Math.min(Math.max(length, 2 * this.#buffer.length, smallestBuffer), this.#maxBytes);
    this.#hold(size - this.#buffer.length);
    // Not from Node's pool, of which a small buffer would keep a large one alive.
    const larger = Buffer.allocUnsafeSlow(size);
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }

  readonly #end = (): void => {
    this.#stop();
    this.#settle.resolve(this.#buffer.subarray(0, this.#length));
  };

  readonly #breakOff = (): void => {
    this.#settle.reject(new Refusal('bad_request', { detail: 'the body broke off' }));
  };

  #stop(): void {
    this.#request.off('data', this.#take);
    this.#request.off('end', this.#end);
    this.#request.off('close', this.#breakOff);
  }
}

interface Leftover {
  readonly maxBytes: number;
  /** Called once: when all of it has gone by (true), or when it is more than that or the caller is gone (false). */
  readonly onOver: (hasEnded: boolean) => void;
}

/** Lets the rest of a body that nobody wants go by without keeping any of it. */
export function discardBody(request: IncomingMessage, { maxBytes, onOver }: Leftover): void {
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
    if (bytes > maxBytes || pieces > mostBodyPieces) over(false);
  };
  const end = () => over(true);
  const close = () => over(false);
  request.on('data', pass);
  request.once('end', end);
  request.once('close', close);
}
